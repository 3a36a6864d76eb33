# Functions for small .npy files in tests. They are written in perl, use nothing of the engine, and need no Python.
# shellcheck shell=bash
# npy FILE DESCR SHAPE PACK NUMBER…: writes an array. PACK is perl's letter for the type. Numbers may begin with 0x.
npy() {
    perl -e '
        my ($descr, $shape, $pack, @numbers) = @ARGV;
        my $header = "{\x27descr\x27: \x27$descr\x27, \x27fortran_order\x27: False, \x27shape\x27: ($shape), }";
        print "\x93NUMPY\x01\x00", pack("v", length $header), $header, pack("$pack*", map { /^0x/ ? hex : $_ } @numbers);' \
        "${@:2}" >"$1"
}

# numbers FILE PACK: prints the numbers of an array in one line.
numbers() {
    perl -e '
        local $/;
        open my $file, "<", $ARGV[0] or die;
        my $bytes = <$file>;
        print join(" ", map { sprintf "%.9g", $_ } unpack("$ARGV[1]*", substr($bytes, 10 + unpack("v", substr($bytes, 8, 2))))), "\n";' \
        "$1" "$2"
}

# bits FILE BYTES: prints the elements of an array, each of BYTES bytes, in hexadecimal.
bits() {
    perl -e '
        local $/;
        open my $file, "<", $ARGV[0] or die;
        my $bytes = <$file>;
        my $elements = substr($bytes, 10 + unpack("v", substr($bytes, 8, 2)));
        print join(" ", map { unpack("H*", scalar reverse $_) } unpack("(a$ARGV[1])*", $elements)), "\n";' "$1" "$2"
}
