#!/usr/bin/perl
# Runs the engine once for each number of a call that is to fail, and says what is wrong with how it ended.
#
#   tests/faults/try.pl CALL HOW FIRST STRIDE LAST ENGINE ARGUMENT…
#
# CALL and HOW are the shim's (tests/faults/shim/shim.h). In the environment: SHIM, and TMP with the folder `whole` that a
# run without a fault left, and `whole.out`, what it printed; each run starts with an empty folder `faulty`, which the
# arguments name. Prints a few lines for each run that ended as none should, and exits with 1 where there was one.
use strict;
use warnings;

my ($call, $how, $first, $stride, $last, @command) = @ARGV;
my ($whole, $faulty) = ("$ENV{TMP}/whole", "$ENV{TMP}/faulty");

# What a message says about the reason.
my %said = (
    ENOMEM => qr/memory|cannot be loaded/,    # dlopen has words of its own
    ENOSPC => qr/No space left/,
    full   => qr/No space left/,
    EIO    => qr/Input\/output error/,
    EACCES => qr/Permission denied/,
    EMFILE => qr/Too many open files/,
    ENOLCK => qr/No locks available/,
);

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or return '';
    local $/;
    return scalar(<$file>) // '';
}

# Names of what lies in a folder.
sub names {
    my ($folder) = @_;
    opendir my $listing, $folder or return ();
    return sort grep { !/^\.\.?$/ } readdir $listing;
}

sub empty_folder {
    my ($folder) = @_;
    mkdir $folder;
    unlink "$folder/$_" for names($folder);
    return;
}

# Is `found` a whole file, given one of the same name of a run without a fault? Metrics grow, an index lists more and more
# files, tables and plots are replaced by each output.
sub is_whole {
    my ($name, $found, $expected) = @_;
    return index($expected, $found) == 0 if $name =~ /metrics\.csv$/;
    return $found =~ /<\/svg>\n\z/ if $name =~ /\.svg$/;
    return ($found =~ tr/\n//) == ($expected =~ tr/\n//) if $name =~ /\.csv$/;
    if ($name =~ /\.pvd$/) {
        my %lines = map { $_ => 1 } split /^/, $expected;
        return $found =~ /<\/VTKFile>\n\z/ && !grep { !$lines{$_} } split /^/, $found;
    }
    return $found eq $expected;
}

sub damage {
    my @wrong;
    for my $name (names($faulty)) {
        push @wrong, $name =~ /^\./ || !-e "$whole/$name" ? "left behind: $name"
            : is_whole($name, slurp("$faulty/$name"), slurp("$whole/$name")) ? () : "damaged: $name";
    }
    return @wrong;
}

# What was printed, but for what the clock and the folder put in, and the processor's name, which is not always found.
sub words {
    my ($text) = @_;
    $text =~ s/\Q$faulty\E/$whole/g;
    return join '', grep { !/"(seconds|rate|device)"/ } split /^/, $text;
}

# A run that ended well did all that one without a fault does.
sub difference {
    my @wrong = words(slurp("$ENV{TMP}/faulty.out")) eq words(slurp("$ENV{TMP}/whole.out")) ? () : 'it printed other words';
    push @wrong, 'there are other files' if "@{[names($faulty)]}" ne "@{[names($whole)]}";
    return @wrong, map { slurp("$faulty/$_") eq slurp("$whole/$_") ? () : "another file: $_" } names($faulty);
}

sub judge {
    my ($status, $stderr) = @_;
    return difference() if $status == 0;
    return 'no status that it should have' if $status < 2 || $status > 6;
    my @sentences = grep { /^engine: / } split /^/, $stderr;
    my $reason = $said{$how};
    return @sentences != 1 ? scalar(@sentences) . ' sentences on stderr'
        : $reason && $sentences[0] !~ $reason ? 'the sentence does not say why' : (), damage();
}

sub run_with_fault {
    my ($number) = @_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null'             or die;
        open STDOUT, '>', "$ENV{TMP}/faulty.out" or die;
        open STDERR, '>', "$ENV{TMP}/faulty.err" or die;
        $ENV{FAULT} = "$call $number $how";
        $ENV{LD_PRELOAD} = $ENV{SHIM};
        exec @command or die "$command[0]: $!\n";
    }
    waitpid $pid, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

my $bad = 0;
for (my $number = $first; $number <= $last; $number += $stride) {
    empty_folder($faulty);
    my $status = run_with_fault($number);
    my $stderr = slurp("$ENV{TMP}/faulty.err");
    my @wrong = judge($status, $stderr) or next;
    $bad = 1;
    print "$call $number $how: status $status: ", join('; ', @wrong), "\n", map { "    $_" } (split /^/, $stderr)[0 .. 2];
}
exit $bad;
