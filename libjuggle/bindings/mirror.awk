# SPDX-License-Identifier: BSD-3-Clause
# Translates the declarations in the headers of the stealing runtime into another language: into the module juggle_steal of Fortran, or
# into the structs, constants and prototypes of the Python package. The build runs it, so that these always match the headers.
# Usage: awk -v language=fortran|python -f mirror.awk steal_choices.h ... steal.h
#
# It reads one declaration after the other. It knows only the C of these headers, and fails at any other declaration.

function fail(text) { print "mirror.awk: " text >"/dev/stderr"; failed = 1; exit 1 }
function trim(text) { gsub(/[ \t\n]+/, " ", text); sub(/^ /, "", text); sub(/ $/, "", text); return text }

# Collects the source without comments, directives and the lines that are only for C++.
{
    line = $0
    if (in_comment) {
        if (!sub(/.*\*\//, "", line)) next
        in_comment = 0
    }
    while (match(line, /\/\*/)) {
        start = RSTART
        if (match(substr(line, start), /\*\//))
            line = substr(line, 1, start - 1) substr(line, start + RSTART + 1)
        else {
            line = substr(line, 1, start - 1)
            in_comment = 1
        }
    }
    directive = in_directive || line ~ /^#/
    in_directive = directive && line ~ /\\$/
    if (!directive && line !~ /^extern "C"/ && line !~ /^}$/)
        source = source line "\n"
}

END {
    if (failed) exit 1
    if (language != "fortran" && language != "python") fail("language is fortran or python")
    while (source !~ /^[ \n]*$/)
        declare(statement())
    print_all()
}

# Returns the next declaration, without the semicolon that ends it outside of braces, and removes it from the source.
function statement(    i, depth, character, result) {
    for (i = 1; i <= length(source); i++) {
        character = substr(source, i, 1)
        depth += (character == "{") - (character == "}")
        if (character == ";" && depth == 0) {
            result = trim(substr(source, 1, i - 1))
            source = substr(source, i + 1)
            return result
        }
    }
    fail("a declaration has no end: " substr(source, 1, 80))
}

function declare(text) {
    if (text ~ /^enum [a-z_]*[ ]?\{/) declare_enum(text)
    else if (text ~ /^struct [a-z_]+ \{/) declare_struct(text)
    else if (text ~ /^struct [a-z_]+$/) return
    else if (text == "typedef uint32_t steal_function") return
    else if (text ~ /^typedef [a-z_0-9 ]+\(/) declare_function(substr(text, 9), "callback")
    else if (text ~ /^STEAL_API /) declare_function(substr(text, 11), "function")
    else fail("cannot read: " text)
}

function declare_enum(text,    parts, count, i, pair, next_value) {
    sub(/^[^{]*\{/, "", text)
    sub(/\}$/, "", text)
    count = split(text, parts, ",")
    for (i = 1; i <= count; i++) {
        if (split(trim(parts[i]), pair, " = ") == 2)
            next_value = number(pair[2])
        constant_name[++constants] = pair[1]
        constant[pair[1]] = next_value++
    }
}

function number(text,    terms) {
    if (text ~ /^[0-9]+$/) return text + 0
    if (text in constant) return constant[text]
    if (split(text, terms, " [+] ") == 2) return number(terms[1]) + number(terms[2])
    fail("not a number: " text)
}

function declare_struct(text,    name, parts, count, i) {
    name = text
    sub(/^struct /, "", name)
    sub(/ .*/, "", name)
    struct_name[++structs] = name
    sub(/^[^{]*\{/, "", text)
    sub(/;? *\}$/, "", text)
    count = split(text, parts, ";")
    for (i = 1; i <= count; i++)
        field[structs, i] = trim(parts[i])
    fields[structs] = count
}

# `text` is: RESULT NAME(ARGUMENTS) MACROS
function declare_function(text, kind,    head, arguments, parts, count, i) {
    sub(/ STEAL_MUST_CHECK$/, "", text)
    head = text
    sub(/\(.*/, "", head)
    arguments = text
    sub(/^[^(]*\(/, "", arguments)
    sub(/\)$/, "", arguments)
    functions++
    function_kind[functions] = kind
    if (kind == "callback") is_callback[name_of(head)]
    function_name[functions] = name_of(head)
    function_type[functions] = type_of(head)
    count = arguments == "void" ? 0 : split(arguments, parts, ",")
    for (i = 1; i <= count; i++)
        argument[functions, i] = trim(parts[i])
    argument_count[functions] = count
}

# The name and the type of a declaration: "const char *path" is path, of type const char *; "double part[MANY]" is part, of type
# double; "void (*f)(int)" is f, of type function.
function name_of(text) {
    if (text ~ /\(\*/) { sub(/.*\(\*/, "", text); sub(/\).*/, "", text); return text }
    sub(/\[.*/, "", text)
    sub(/.*[ *]/, "", text)
    return text
}
function type_of(text) {
    if (text ~ /\(\*/) return "function"
    sub(/\[.*/, "", text)
    sub(/[a-z_0-9]+$/, "", text)
    return trim(text)
}
function extent_of(text) {
    if (text !~ /\[/) return ""
    sub(/.*\[/, "", text)
    sub(/\].*/, "", text)
    return number(text)
}
function struct_of(type) { sub(/^const /, "", type); sub(/^struct /, "", type); sub(/ \*+$/, "", type); return type }
function is_mirrored(type,    i) {
    for (i = 1; i <= structs; i++)
        if (struct_name[i] == struct_of(type)) return 1
    return 0
}

# True for a pointer to a function, or to a type of functions.
function is_function(type) { sub(/ \*$/, "", type); return type == "function" || type in is_callback }

function print_all() { if (language == "fortran") print_fortran(); else print_python() }

# ---- Fortran ----

function fortran_scalar(type) {
    if (type == "int" || type ~ /^enum /) return "integer(c_int)"
    if (type == "size_t") return "integer(c_size_t)"
    if (type == "int64_t" || type == "uint64_t") return "integer(c_int64_t)"
    if (type == "uint32_t" || type == "steal_function") return "integer(c_int32_t)"
    if (type == "double") return "real(c_double)"
    if (type == "char") return "character(kind=c_char)"
    fail("no type of Fortran for: " type)
}

function fortran_field(text,    type, name, extent) {
    type = type_of(text)
    name = name_of(text)
    extent = extent_of(text)
    if (is_function(type)) return "type(c_funptr) :: " name " = c_null_funptr"
    if (type ~ /\*$/) return "type(c_ptr) :: " name " = c_null_ptr"
    if (type ~ /^struct /) return "type(" struct_of(type) "_t) :: " name
    extent = extent == "" ? "" : "(" extent ")"
    if (type == "char") return fortran_scalar(type) " :: " name extent " = c_null_char"
    return fortran_scalar(type) " :: " name extent (type == "double" ? " = 0.0_c_double" : " = 0")
}

# A pointer to a mirrored struct becomes an optional argument, because C accepts NULL there. Handles and objects of the program are
# passed as addresses.
function fortran_argument(text,    type, name) {
    type = type_of(text)
    name = name_of(text)
    if (is_function(type)) return "type(c_funptr), value :: " name
    if (type ~ /\*\*$/) return "type(c_ptr), intent(out) :: " name
    if (type == "const char *") return "character(kind=c_char), intent(in) :: " name "(*)"
    if (type == "char *") return "character(kind=c_char), intent(out) :: " name "(*)"
    if (type ~ /^const struct / && is_mirrored(type)) return "type(" struct_of(type) "_t), intent(in), optional :: " name
    if (type ~ /^struct / && is_mirrored(type)) return "type(" struct_of(type) "_t), intent(inout), optional :: " name
    if (type == "int64_t *" && name == "values") return "integer(c_int64_t), intent(inout) :: " name "(*)"
    if (type == "int *" || type == "steal_function *" || type == "int64_t *") {
        sub(/ \*$/, "", type)
        return fortran_scalar(type) ", intent(out) :: " name
    }
    if (type ~ /\*$/) return "type(c_ptr), value :: " name
    return fortran_scalar(type) ", value :: " name
}

function fortran_function(f,    i, names, kind, result) {
    for (i = 1; i <= argument_count[f]; i++)
        names = names (i > 1 ? ", " : "") name_of(argument[f, i])
    kind = function_type[f] == "void" ? "subroutine" : "function"
    result = function_type[f] ~ /\*$/ ? "type(c_ptr)" : function_type[f] == "void" ? "" : fortran_scalar(function_type[f])
    print "        " kind " " function_name[f] "(" names ") &\n            bind(c" (function_kind[f] == "function" ? ", name='" function_name[f] "'" : "") ")"
    print "            import"
    for (i = 1; i <= argument_count[f]; i++)
        print "            " fortran_argument(argument[f, i])
    if (result != "") print "            " result " :: " function_name[f]
    print "        end " kind
}

function print_fortran(    i, f) {
    print "! SPDX-License-Identifier: BSD-3-Clause"
    print "! The stealing runtime of Juggle in Fortran, generated from <juggle/steal.h>, whose comments describe all functions."
    print "! Compile it with the program. Names of structs end in _t; steal_init() sets their defaults. Texts that are passed end in"
    print "! c_null_char; steal_text() converts a returned text to a string. Ranks, workers and tasks are numbered from 0."
    print "module juggle_steal"
    print "    use, intrinsic :: iso_c_binding"
    print "    implicit none"
    print "    public\n"
    for (i = 1; i <= constants; i++)
        print "    integer(c_int), parameter :: " constant_name[i] " = " constant[constant_name[i]]
    for (i = 1; i <= structs; i++) {
        print "\n    type, bind(c) :: " struct_name[i] "_t"
        for (f = 1; f <= fields[i]; f++)
            print "        " fortran_field(field[i, f])
        print "    end type"
    }
    print "\n    ! Procedures that the program provides, with bind(c). It passes their c_funloc()."
    print "    abstract interface"
    for (i = 1; i <= functions; i++) if (function_kind[i] == "callback") fortran_function(i)
    print "    end interface\n"
    print "    interface"
    for (i = 1; i <= functions; i++) if (function_kind[i] == "function") fortran_function(i)
    print "    end interface\n"
    print "    ! Sets all fields to their defaults, and `size` to the size of the struct."
    print "    interface steal_init"
    for (i = 1; i <= structs; i++) if (field[i, 1] ~ /^size_t size$/) print "        module procedure init_" struct_name[i]
    print "    end interface\n"
    print "    interface"
    print "        pure function juggle_strlen(text) bind(c, name='strlen')"
    print "            import"
    print "            type(c_ptr), value :: text"
    print "            integer(c_size_t) :: juggle_strlen"
    print "        end function"
    print "    end interface"
    print "contains"
    print "    function steal_text(text)"
    print "        type(c_ptr), intent(in) :: text"
    print "        character(:), allocatable :: steal_text"
    print "        character(kind=c_char), pointer :: characters(:)"
    print "        integer :: i\n"
    print "        steal_text = ''"
    print "        if (.not. c_associated(text)) return"
    print "        call c_f_pointer(text, characters, [juggle_strlen(text)])"
    print "        do i = 1, size(characters)"
    print "            steal_text = steal_text // characters(i)"
    print "        end do"
    print "    end function"
    print "\n    ! Returns the message of a failed steal_runtime_create() or of failed parsing."
    print "    function steal_error_text(error)"
    print "        type(steal_error_t), intent(in), target :: error"
    print "        character(:), allocatable :: steal_error_text\n"
    print "        steal_error_text = steal_text(c_loc(error))"
    print "    end function"
    for (i = 1; i <= structs; i++) {
        if (field[i, 1] !~ /^size_t size$/) continue
        print "\n    subroutine init_" struct_name[i] "(this)"
        print "        type(" struct_name[i] "_t), intent(out) :: this\n"
        print "        this%size = c_sizeof(this)"
        print "    end subroutine"
    }
    print "end module"
}

# ---- Python ----

function python_scalar(type) {
    if (type == "int" || type ~ /^enum /) return "c_int"
    if (type == "size_t") return "c_size_t"
    if (type == "int64_t") return "c_int64"
    if (type == "uint64_t") return "c_uint64"
    if (type == "uint32_t" || type == "steal_function") return "c_uint32"
    if (type == "double") return "c_double"
    if (type == "char") return "c_char"
    if (type == "const char *") return "c_char_p"
    if (type == "void") return "None"
    if (type == "function" || type ~ /\*$/) return "c_void_p"
    if (type ~ /^struct /) return struct_of(type)
    fail("no type of Python for: " type)
}

function print_python(    i, f, extent, list) {
    print "# SPDX-License-Identifier: BSD-3-Clause"
    print "\"\"\"The declarations of <juggle/steal.h>, generated from it.\"\"\""
    print "from ctypes import Structure, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p  # noqa: F401\n"
    for (i = 1; i <= constants; i++)
        print constant_name[i] " = " constant[constant_name[i]]
    for (i = 1; i <= structs; i++) {
        print "\n\nclass " struct_name[i] "(Structure):\n    _fields_ = ["
        for (f = 1; f <= fields[i]; f++) {
            extent = extent_of(field[i, f])
            print "        (\"" name_of(field[i, f]) "\", " python_scalar(type_of(field[i, f])) (extent == "" ? "" : " * " extent) "),"
        }
        print "    ]"
    }
    print "\n\nFUNCTIONS = {"
    for (i = 1; i <= functions; i++) {
        if (function_kind[i] != "function") continue
        list = ""
        for (f = 1; f <= argument_count[i]; f++)
            list = list python_scalar(type_of(argument[i, f])) ", "
        print "    \"" function_name[i] "\": (" python_scalar(function_type[i]) ", (" list ")),"
    }
    print "}"
}
