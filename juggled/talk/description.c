/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/description.h"

#include "juggled/care/parameter.h"
#include "libjuggle/ground/version.h"

#include <string.h>

#define SERVICE "org.varlink.service"

/* The installed file and the program have the same text: the assembler copies the file. */
__asm__(".pushsection .rodata\n"
        ".globl description_juggle\n"
        "description_juggle:\n"
        ".incbin \"juggled/talk/io.juggle.varlink\"\n"
        ".byte 0\n"
        ".type description_juggle, %object\n"
        ".size description_juggle, . - description_juggle\n"
        ".popsection\n");

static const char description_service[] =
    "# What every Varlink service tells of itself\n"
    "interface " SERVICE "\n"
    "\n"
    "method GetInfo() -> (vendor: string, product: string, version: string, url: string, "
    "interfaces: []string)\n"
    "\n"
    "method GetInterfaceDescription(interface: string) -> (description: string)\n"
    "\n"
    "error InterfaceNotFound (interface: string)\n"
    "error MethodNotFound (method: string)\n"
    "error MethodNotImplemented (method: string)\n"
    "error InvalidParameter (parameter: string)\n"
    "error PermissionDenied ()\n"
    "error ExpectedMore ()\n";

json_t *description_error(const char *name, const char *argument, const char *value)
{
    char error[64] = SERVICE ".";

    strncat(error, name, sizeof(error) - sizeof(SERVICE) - 1);
    return error_make(error, json_pack("{s:s}", argument, value));
}

static json_t *info(const json_t *parameters)
{
    static const char *const known[] = {NULL};
    const char *unknown = parameter_unknown(parameters, known);

    if (unknown)
        return description_error("InvalidParameter", "parameter", unknown);
    return reply_make(json_pack("{s:s, s:s, s:s, s:s, s:[s, s]}", "vendor", "Juggle", "product",
                                "juggled", "version", JUGGLE_VERSION, "url", "man:io.juggle(7)",
                                "interfaces", SERVICE, JUGGLE_INTERFACE));
}

static json_t *describe(const json_t *parameters)
{
    static const char *const known[] = {"interface", NULL};
    const char *name = json_string_value(json_object_get(parameters, known[0]));
    const char *unknown = parameter_unknown(parameters, known);
    const char *text = NULL;

    if (unknown || !name)
        return description_error("InvalidParameter", "parameter", unknown ? unknown : known[0]);
    if (!strcmp(name, SERVICE))
        text = description_service;
    else if (!strcmp(name, JUGGLE_INTERFACE))
        text = description_juggle;
    if (!text)
        return description_error("InterfaceNotFound", "interface", name);
    return reply_make(json_pack("{s:s}", "description", text));
}

bool description_answers(const struct call *call, json_t **message)
{
    const char *dot = strrchr(call->method, '.');
    const size_t length = dot ? (size_t)(dot - call->method) : strlen(call->method);

    if (length == strlen(JUGGLE_INTERFACE) && !strncmp(call->method, JUGGLE_INTERFACE, length))
        return false;
    if (!strcmp(call->method, SERVICE ".GetInfo"))
        *message = info(call->parameters);
    else if (!strcmp(call->method, SERVICE ".GetInterfaceDescription"))
        *message = describe(call->parameters);
    else if (length == strlen(SERVICE) && !strncmp(call->method, SERVICE, length))
        *message = description_error("MethodNotFound", "method", call->method);
    else
        *message = error_make(SERVICE ".InterfaceNotFound",
                              json_pack("{s:s%}", "interface", call->method, length));
    return true;
}
