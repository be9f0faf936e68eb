/** What is drawn in the session that is measured: over all of the screen, so often in a second or whenever a key is pressed. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestXrdp } from '@gatehouse/testkit/desktop/xrdp';

const run = promisify(execFile);

/** Each frame has another colour here: what changes is counted. */
export const WATCHED = { x: 320, y: 40 };
export const FRAMES_A_SECOND = 60;

/**
 * Speaks X11 itself, so that what draws costs next to nothing. animation: bars that move over a third of the screen; scrolling: lines that look like
 * text move up; keys: painted once for each key. A stripe above has the next colour with each frame.
 */
const SCRIPT = String.raw`#!/usr/bin/perl
use strict; use warnings; use Socket; use Time::HiRes qw(time sleep);
my ($mode, $rate) = @ARGV;
my ($number) = $ENV{DISPLAY} =~ /:(\d+)/;
my ($name, $data) = ('', '');
if (open my $file, '<:raw', $ENV{XAUTHORITY} || "$ENV{HOME}/.Xauthority") {
  local $/; my $all = <$file>;
  while (length $all) {
    my @fields; substr($all, 0, 2, '');
    for (1 .. 4) { my $length = unpack 'n', substr($all, 0, 2, ''); push @fields, substr($all, 0, $length, ''); }
    ($name, $data) = @fields[2, 3] if $fields[1] eq $number;
  }
}
socket(my $x, AF_UNIX, SOCK_STREAM, 0) or die; connect($x, pack_sockaddr_un("/tmp/.X11-unix/X$number")) or die "no display $number: $!";
sub take { my $bytes = ''; while (length $bytes < $_[0]) { sysread($x, $bytes, $_[0] - length $bytes, length $bytes) or exit } return $bytes }
sub say_ { my $bytes = shift; while (length $bytes) { my $done = syswrite($x, $bytes) or exit; substr($bytes, 0, $done, '') } }
sub pad { my $bytes = shift; return $bytes . "\0" x (-length($bytes) % 4) }
say_(pack('a2 v v v v v', "l\0", 11, 0, length $name, length $data, 0) . pad($name) . pad($data));
my $head = take(8); my $body = take(4 * unpack 'x6 v', $head);
die "refused: $body" unless ord $head == 1;
my ($base, $vendor, $formats) = unpack 'x4 V x8 v x3 C', $body;
my $root = unpack 'V', substr $body, 32 + $vendor + (-$vendor % 4) + 8 * $formats;
my ($window, $gc) = ($base, $base + 1);
say_(pack('C C v V V v6 V V V3', 1, 0, 11, $window, $root, 0, 0, 1280, 800, 0, 1, 0, 0xa02, 0x202020, 1, 1)
  . pack('C C v V', 8, 0, 2, $window) . pack('C C v V V V V', 55, 0, 5, $gc, $window, 4, 0));

sub colour { return pack('C C v V V V', 56, 0, 4, $gc, 4, $_[0]) }
sub fill { return pack('C C v V V v*', 70, 0, 3 + @_ / 2, $window, $gc, @_) }
# Until the server has done it all: every answer and event has 32 bytes.
sub settle { say_(pack('C C v', 43, 0, 1)); while (1) { my $answer = take(32); return if ord $answer == 1 } }
my @colours = (0xd01010, 0x10c010, 0x1010e0, 0xd0d010, 0xd010d0, 0x10d0d0);
my $frame = 0;
sub mark { return colour($colours[$frame % 6]) . fill(0, 0, 1280, 80) }
settle();
if ($mode eq 'keys') {
  say_(mark() . pack('C C v V V', 42, 0, 3, $window, 0));
  while (1) { my $event = take(32); next unless (ord($event) & 0x7f) == 2; $frame++; say_(mark()) }
}
my $next = time;
while (1) {
  $frame++;
  my $out = mark();
  if ($mode eq 'animation') {
    for my $bar (0 .. 39) {
      my ($at, $tint) = (($bar * 16 + $frame * 5) % 640, ($bar * 37 + $frame) % 256);
      $out .= colour($tint << 16 | ($bar * 6) << 8 | (255 - $tint)) . fill(100 + $at, 120 + $bar * 3, 24, 400 - $bar);
    }
  } else {
    $out .= pack('C C v V V V v6', 62, 0, 7, $window, $window, $gc, 40, 113, 40, 100, 1000, 637) . colour(0x202020) . fill(40, 737, 1000, 13)
      . colour(0xc8c8c8) . fill(map { (40 + $_ * 7, 738 + ($_ * $frame) % 5, 1 + ($_ * 3 + $frame) % 6, 2 + ($_ + $frame * 3) % 7) } 0 .. 141);
  }
  say_($out);
  settle();
  $next += 1 / $rate;
  my $rest = $next - time;
  if ($rest > 0) { sleep($rest) } else { $next = time }
}
`;

export type Drawing = 'animation' | 'scrolling' | 'keys';

function scriptIn(folder: string): string {
  const script = join(folder, 'draw.pl');
  writeFileSync(script, SCRIPT, { mode: 0o755 });
  return script;
}

function wordsFor(script: string, drawing: Drawing, seconds: number): string[] {
  return ['timeout', String(seconds), script, drawing, String(FRAMES_A_SECOND)];
}

/** It ends by being told to. */
function unlessInTime(error: { code?: unknown }): void {
  if (error.code !== 124) throw error;
}

/** Runs so long in the session. */
export async function draw(xrdp: TestXrdp, drawing: Drawing, seconds: number): Promise<void> {
  await xrdp.inSession(wordsFor(scriptIn(xrdp.folder), drawing, seconds)).catch(unlessInTime);
}

/** The same on a display that lets this user in. */
export async function drawOn(
  { display, folder }: { display: string; folder: string },
  drawing: Drawing,
  seconds: number,
): Promise<void> {
  const [program = '', ...words] = wordsFor(scriptIn(folder), drawing, seconds);
  await run(program, words, { env: { ...process.env, DISPLAY: display } }).catch(unlessInTime);
}
