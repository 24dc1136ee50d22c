# SPDX-License-Identifier: BSD-3-Clause
# For Spack: `spack repo add packaging/spack`, then `spack dev-build juggle@main` in a checkout. Nothing is downloaded.
import os

from spack.package import *


class Juggle(MakefilePackage):
    """Makes the threads of a program progress at the same rate, whatever the mismatch between threads and processors, and
    steals work between the ranks of an MPI program."""

    # There is no public server. A checkout is built by dev-build; a release is built from the archive of `make dist` in the current
    # folder, after a site has named it here: version("X.Y.Z", sha256="...").
    url = "file:///var/cache/juggle/juggle-0.0.0.tar.xz"

    license("BSD-3-Clause")

    version("main", branch="main", git="file:///var/cache/juggle/juggle.git")

    variant("mpi", default=True, description="The work-stealing runtime and its applications, for the MPI that is chosen")
    variant("systemd", default=False, description="The service juggled, with the system's systemd")

    depends_on("c", type="build")
    depends_on("gmake@4:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("hwloc@2:")
    depends_on("libnl")
    depends_on("ncurses")
    depends_on("systemd", when="+systemd")
    depends_on("mpi", when="+mpi")

    conflicts("platform=darwin", msg="Juggle places threads by calls of Linux")
    conflicts("platform=windows", msg="Juggle places threads by calls of Linux")

    @property
    def _flavor(self):
        """What the Makefile calls the MPI: it asks pkg-config for ompi-c and mpich."""
        provider = self.spec["mpi"].name
        if provider == "openmpi":
            return "openmpi"
        if provider in ("mpich", "mvapich2", "mvapich"):
            return "mpich"
        raise InstallError(f"the runtime is built for Open MPI and MPICH, not for {provider}")

    @property
    def build_targets(self):
        return [*self._settings, "all"]

    @property
    def install_targets(self):
        return [*self._settings, "install"]

    @property
    def _settings(self):
        """What stays out is named: a library of the system that pkg-config finds must not come in unasked."""
        prefix = self.prefix
        settings = [f"PREFIX={prefix}", f"SYSCONFDIR={prefix.etc}", "HAVE_SLURM=", "HAVE_OMPT=", "HAVE_BLAS="]
        flavors = {"openmpi", "mpich"} - ({self._flavor} if self.spec.satisfies("+mpi") else set())
        settings += [f"HAVE_{flavor.upper()}=" for flavor in sorted(flavors)]
        if self.spec.satisfies("~systemd"):
            settings += ["HAVE_SYSTEMD="]
        return settings

    def edit(self, spec, prefix):
        """The Makefile takes all from its command line."""

    def setup_run_environment(self, env):
        env.prepend_path("MANPATH", self.prefix.share.man)

    def test_launcher(self):
        """a program runs under the launcher, with its own status"""
        juggle = which(os.path.join(self.prefix.bin, "juggle"), required=True)
        out = juggle("--report", "json", "-n", "2", "--", os.path.join(self.prefix.bin, "ubench"), "-n", "2", "-k", "10", "-e",
                     "10ms", output=str.split, error=str.split)
        assert '"exit_status": 0' in out

    def test_predictor(self):
        """the predictor knows what sixteen threads on twelve processors take"""
        predict = which(os.path.join(self.prefix.bin, "juggle-predict"), required=True)
        out = predict("-n", "16", "-m", "12", output=str.split)
        assert "saves 33 % of the time" in out

    def test_library(self):
        """a program of libjuggle compiles, links and runs"""
        with working_dir(self.test_suite.stage, create=True):
            with open("user.c", "w", encoding="ascii") as source:
                source.write("#include <juggle/juggle.h>\nint main(void) { juggle_wait_end(0); return 0; }\n")
            which(os.environ.get("CC", "cc"), required=True)(
                "user.c", "-o", "user", f"-I{self.prefix.include}", f"-L{self.prefix.lib}", f"-Wl,-rpath,{self.prefix.lib}", "-ljuggle")
            which("./user", required=True)()
