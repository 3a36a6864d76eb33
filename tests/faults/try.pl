#!/usr/bin/perl
# Runs the engine once for each number of a call that is to fail, and prints every wrong result.
#
#   tests/faults/try.pl CALL HOW NUMBERS ENGINE ARGUMENT…
#
# tests/faults/shim/shim.h describes CALL and HOW. A comma separates NUMBERS. The environment has SHIM and TMP. TMP contains the folder `whole` with the
# files of a run without a fault, and `whole.out` with its output. Each run starts with an empty folder `here`, which the
# arguments name; or, where the environment has BEFORE, with a copy of that folder, which the arguments resume. A run that
# failed or was killed is resumed, or started again if it has made nothing. It has to end as the whole run did, and a
# resumed run has to begin at no earlier step: no checkpoint is given up. The script prints a few lines for each wrong run,
# and exits with 1 if there is one.
use strict;
use warnings;
use File::Copy qw(copy);

my ($call, $how, $numbers, @command) = @ARGV;
my ($whole, $here, $before) = ("$ENV{TMP}/whole", "$ENV{TMP}/here", $ENV{BEFORE});

# What a message says about the reason.
my %said = (
    ENOMEM => qr/memory/,
    ENOSPC => qr/No space left/,
    full   => qr/No space left/,
    EIO    => qr/Input\/output error/,
    EACCES => qr/Permission denied/,
    EMFILE => qr/Too many open files/,
    ENOLCK => qr/No locks available/,
    EDQUOT => qr/Disk quota exceeded/,
    ESTALE => qr/Stale file handle/,
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

# Empties the folder, or fills it with a copy of another one.
sub prepare_folder {
    my ($folder, $from) = @_;
    mkdir $folder;
    unlink "$folder/$_" for names($folder);
    for my $name ($from ? names($from) : ()) {
        copy("$from/$name", "$folder/$name") or die "$name: $!\n";
    }
    return;
}

# A film without the number of its frames, which is at its beginning, and without its end.
sub frames {
    my ($film) = @_;
    return length $film < 65 ? '' : substr($film, 0, 41) . substr $film, 53, -12;
}

# A DCD file without the record at its beginning that counts its frames.
sub dcd_frames {
    my ($file) = @_;
    return length $file < 92 ? '' : substr $file, 92;
}

# A NetCDF file without the number of its frames.
sub nc_frames {
    my ($file) = @_;
    return length $file < 8 ? '' : substr $file, 8;
}

# The chunks of a GSD file of few frames, which follow its header, names and index.
sub gsd_frames {
    my ($file) = @_;
    return length $file < 2816 ? '' : substr $file, 2816;
}

# Is `found` a whole file, given one of the same name of a run without a fault? Metrics, hashes, films and trajectories grow, an index lists more
# and more files, tables and plots are replaced by each output.
sub is_whole {
    my ($name, $found, $expected) = @_;
    return index($expected, $found) == 0 if $name =~ /(metrics|hashes)\.csv$|\.(trr|xtc)$/;
    return index(gsd_frames($expected), gsd_frames($found)) == 0 if $name =~ /\.gsd$/;
    return $found =~ /IEND.{4}\z/s && index(frames($expected), frames($found)) == 0 if $name =~ /\.apng$/;
    return index(nc_frames($expected), nc_frames($found)) == 0 if $name =~ /\.nc$/;
    return index(dcd_frames($expected), dcd_frames($found)) == 0 if $name =~ /\.dcd$/;
    return $found =~ /<\/svg>\n\z/ if $name =~ /\.svg$/;
    return ($found =~ tr/\n//) == ($expected =~ tr/\n//) if $name =~ /\.csv$/;
    if ($name =~ /\.pvd$/) {
        my %lines = map { $_ => 1 } split /^/, $expected;
        return $found =~ /<\/VTKFile>\n\z/ && !grep { !$lines{$_} } split /^/, $found;
    }
    return $found eq $expected;
}

# After an error nothing lies under a temporary name, and there is no lock, unless the words name it; checkpoints that the whole run has replaced are
# judged by what comes of them.
sub damage {
    my ($stderr) = @_;
    my @wrong;
    for my $name (names($here)) {
        next if $name =~ /^checkpoint-\d+(-analysis)?\.snapshot$/;
        next if $before && slurp("$before/$name") eq slurp("$here/$name");
        next if $name eq '.lock' && $stderr =~ /\.lock: cannot be/;
        push @wrong, $name =~ /^\./ || !-e "$whole/$name" ? "left behind: $name"
            : $name eq 'summary.json' ? is_same($name) ? () : 'another summary'
            : is_whole($name, slurp("$here/$name"), slurp("$whole/$name")) ? () : "damaged: $name";
    }
    return @wrong;
}

# A text without what the clock puts in, how much of the run was done at once, how much memory and disk is free, and the
# processor's name, which is not always found.
sub words {
    my ($text) = @_;
    return join '', grep { !/"(seconds|predicted_seconds|rate|date|device|processor|first_step|steps|\w+_bytes_free)"/ } split /^/, $text;
}

# What a snapshot holds, without its index, where the sizes and checksums of its parts stand.
sub held {
    my ($snapshot) = @_;
    require IO::Uncompress::Gunzip; # here, because it takes longer to load than most of the runs that need no snapshot
    IO::Uncompress::Gunzip::gunzip(\$snapshot => \my $text, MultiStream => 1);
    return join '', grep { !/^ *\d+ [0-9a-f]{16}$/ } split /^/, $text;
}

sub is_same {
    my ($name) = @_;
    my ($is, $was) = (slurp("$here/$name"), slurp("$whole/$name"));
    return 1 if $is eq $was;
    return words($is) eq words($was) if $name eq 'summary.json';
    return $name =~ /\.snapshot$/ && words(held($is)) eq words(held($was));
}

# Files that are not as a run without a fault leaves them. What could not be removed may be left, if the words say so.
sub difference {
    my ($stderr) = @_;
    my @names = grep { -e "$whole/$_" || $stderr !~ /\Q$_\E: cannot be removed/ } names($here);
    my @wrong = "@names" eq "@{[names($whole)]}" ? () : "other files: @names";
    return @wrong, map { is_same($_) ? () : "another file: $_" } @names;
}

sub judge {
    my ($status, $stderr) = @_;
    return $status == 137 ? () : 'it was not killed' if $how eq 'kill';
    my $same_words = words(slurp("$ENV{TMP}/here.out")) eq words(slurp("$ENV{TMP}/whole.out"));
    # A run that is done does not fail because it cannot clean up: the next resume or run there does.
    return ($same_words ? () : 'other words', difference($stderr), begun()) if $status == 0;
    return 'the call was not made again' if $how eq 'EINTR';
    return 'no status that it should have' if $status < 2 || $status > 6;
    my @sentences = grep { /^engine: / && !/ is saved; to continue: / } split /^/, $stderr;
    my $reason = $said{$how};    # dlopen has words of its own
    return @sentences != 1 ? scalar(@sentences) . ' sentences on stderr'
        : $reason && $sentences[0] !~ $reason && $sentences[0] !~ /cannot be loaded/ ? 'the sentence does not say why' : (), damage($stderr);
}

# The step from which the run was begun or resumed may not be before that of the whole run.
sub begun {
    return () if !-e "$whole/summary.json";
    my ($is, $was) = map { slurp("$_/summary.json") =~ /"first_step": (\d+)/ ? $1 : -1 } $here, $whole;
    return $is >= $was ? () : "it began at step $is instead of $was";
}

# What is wrong after the run was resumed, as its user would do it; where nothing was begun, after it was run.
sub again {
    my @words = $before ? @command : -e "$here/config.ini" ? ($command[0], 'resume', $here, '--quiet') : (@command, '--force');
    my $status = run_with('', @words);
    return $status != 0 ? "@words[1..$#words]: status $status" : -s "$ENV{TMP}/here.err" ? 'words when resumed' : (difference(''), begun());
}

sub run_with {
    my ($fault, @words) = @_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null'           or die;
        open STDOUT, '>', "$ENV{TMP}/here.out" or die;
        open STDERR, '>', "$ENV{TMP}/here.err" or die;
        @ENV{'FAULT', 'LD_PRELOAD'} = ($fault, $ENV{SHIM}) if $fault;
        exec @words or die "$words[0]: $!\n";
    }
    waitpid $pid, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

my $bad = 0;
for my $number (split /,/, $numbers) {
    prepare_folder($here, $before);
    my $status = run_with("$call $number $how", @command);
    my $stderr = slurp("$ENV{TMP}/here.err");
    my @wrong = judge($status, $stderr);
    my @left = names($here);
    # Where nothing was left, to begin again would be the whole run once more.
    if ($status != 0 && -e "$whole/config.ini" && @left) {
        push @wrong, again();
        $stderr .= slurp("$ENV{TMP}/here.err");
    }
    next if !@wrong;
    $bad = 1;
    print "$call $number $how: status $status: ", join('; ', @wrong), "\n", map { "    $_" } grep { defined } (split /^/, $stderr)[0 .. 2];
}
exit $bad;
