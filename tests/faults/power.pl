#!/usr/bin/perl
# Says what of a run would be on the disk if the power failed, and tries whether the run survives it.
#
#   tests/faults/power.pl RECORD TRIALS SEED ENGINE ARGUMENT…
#
# RECORD is what the shim wrote of a run (tests/faults/shim/record.c), which began with an empty folder. The environment has
# TMP, which contains the folder `whole` with the files of that run. TRIALS is a number, or `all`: three trials after each call
# of the run. Each trial chooses a moment, fills the folder `here` with
# what survives, and resumes the run there; or runs `ENGINE ARGUMENT…` where there is no configuration. In the end the files
# have to be those in `whole`. The script prints a few lines for each trial that went wrong, and exits with 1 if there is one.
#
# A disk keeps what was synchronised: the bytes of a file with fsync of the file; its name, a new name and a removal with
# fsync of the folder. Of what came later it may keep anything. The trials take three kinds in turn:
#
#   lost     nothing of it
#   names    all names, and no bytes: a file that was never synchronised is empty
#   some     the names up to a random moment; of each file the new bytes up to a random place
use strict;
use warnings;

my ($record, $trials, $seed, @command) = @ARGV;
my ($whole, $here) = ("$ENV{TMP}/whole", "$ENV{TMP}/here");
srand $seed;

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or return '';
    local $/;
    return scalar(<$file>) // '';
}

sub names {
    my ($folder) = @_;
    opendir my $listing, $folder or return ();
    return sort grep { !/^\.\.?$/ } readdir $listing;
}

sub read_record {
    my $bytes = slurp($record);
    my ($at, @calls) = (0);
    while ($at < length $bytes) {
        my ($what, $file, $place, @sizes) = unpack 'Z8 Q5', substr $bytes, $at, 48;
        $at += 48;
        my @parts = map { my $part = substr $bytes, $at, $_; $at += $_; $part } @sizes;
        push @calls, {what => unpack('A*', $what), file => $file, at => $place, name => $parts[0], other => $parts[1], data => $parts[2]};
    }
    return @calls;
}

# Changes names as a call does.
sub change_names {
    my ($names, $call) = @_;
    my ($name, $other) = @$call{'name', 'other'};
    if    ($call->{what} eq 'create') { $names->{$name} = $call->{made} }
    elsif ($call->{what} eq 'rename') { $names->{$other} = delete $names->{$name} }
    elsif ($call->{what} eq 'exchange') { @$names{$name, $other} = @$names{$other, $name} }
    elsif ($call->{what} eq 'unlink') { delete $names->{$name} }
    return;
}

# The state after the first `count` calls. A file is {bytes, kept}; `kept` are the bytes at its last fsync.
sub state_after {
    my ($count, @calls) = @_;
    my (%now, %kept, %files, @later);
    for my $call (@calls[0 .. $count - 1]) {
        my ($what, $number, $at) = @$call{'what', 'file', 'at'};
        if ($what eq 'create') {
            next if !$at && $now{$call->{name}};    # without O_EXCL: it was there
            $call = {%$call, made => $files{$number} = {bytes => '', kept => ''}};
        }
        my $file = $files{$number};
        if ($what eq 'write') {
            $file->{bytes} .= "\0" x ($at - length $file->{bytes}) if length $file->{bytes} < $at;
            substr($file->{bytes}, $at, length $call->{data}) = $call->{data};
        }
        elsif ($what eq 'truncate') { $file->{bytes} = substr $file->{bytes} . "\0" x $at, 0, $at }
        elsif ($what eq 'sync')     { $file->{kept} = $file->{bytes} }
        elsif ($what eq 'syncdir')  { %kept = %now; @later = () }
        else                        { change_names(\%now, $call); push @later, $call }
    }
    return (\%now, \%kept, \@later);
}

# The bytes of a file that was changed and not synchronised: new ones up to a random place, and old ones from there.
sub some_bytes {
    my ($file) = @_;
    my ($now, $kept) = @$file{'bytes', 'kept'};
    my $place = (0, length $now, int rand(1 + length $now))[rand 3];
    return substr($now, 0, $place) . ($place < length $kept ? substr $kept, $place : '');
}

sub survivors {
    my ($kind, $now, $kept, $later) = @_;
    return map { $_ => $kept->{$_}{kept} } keys %$kept if $kind eq 'lost';
    return map { $_ => $now->{$_}{kept} } keys %$now if $kind eq 'names';
    my %names = %$kept;
    my $count = int rand(1 + @$later);
    change_names(\%names, $_) for @$later[0 .. $count - 1];
    return map { $_ => some_bytes($names{$_}) } keys %names;
}

sub fill {
    my (%files) = @_;
    mkdir $here;
    unlink "$here/$_" for names($here);
    for my $name (keys %files) {
        open my $file, '>:raw', "$here/$name" or die "$name: $!\n";
        print {$file} $files{$name};
        close $file or die "$name: $!\n";
    }
    return;
}

sub said {
    my (@words) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open STDIN,  '<',  '/dev/null' or die;
        open STDERR, '>&', \*STDOUT    or die;
        exec @words or die "$words[0]: $!\n";
    }
    local $/;
    my $text = <$out> // '';
    close $out;
    return ($? >> 8, $text);
}

# What a file says, without times and what else differs between runs.
sub words {
    my ($name) = @_;
    return join '', grep { $name !~ /summary\.json$/ || !/"(seconds|rate|date|first_step|steps|\w+_bytes_free)"/ } split /^/, slurp($name);
}

sub trial {
    my ($kind, $moment, @calls) = @_;
    fill(survivors($kind, state_after($moment, @calls)));
    my @words = -e "$here/config.ini" ? ($command[0], 'resume', $here) : (@command, '--force');
    my ($status, $text) = said(@words, '--quiet');
    my @wrong = $status == 0 ? () : "status $status";
    push @wrong, 'other files: ' . join ' ', names($here) if "@{[names($here)]}" ne "@{[names($whole)]}";
    push @wrong, map { words("$here/$_") eq words("$whole/$_") ? () : "another file: $_" } names($here);
    return @wrong ? (join('; ', @wrong), $text) : ();
}

my @calls = read_record();
my $bad = 0;
$trials = 3 * @calls if $trials eq 'all';
for my $trial (0 .. $trials - 1) {
    my $kind = qw(lost names some)[$trial % 3];
    my $moment = $trials >= 3 * @calls ? int($trial / 3) % @calls + 1 : 1 + int rand @calls;
    my ($wrong, $text) = trial($kind, $moment, @calls) or next;
    $bad = 1;
    print "trial $trial: $kind, after call $moment of ${\ scalar @calls} ($calls[$moment - 1]{what} $calls[$moment - 1]{name}): $wrong\n    $text\n";
}
print STDERR "$trials\n";
exit $bad;
