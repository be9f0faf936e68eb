/** Plays a sound in a session of xrdp, by its own door for programs that play, as its module of PulseAudio does. */
import type { TestXrdp } from './xrdp.ts';

/** Of the left channel, always; the right one counts up. */
export const LEFT_SAMPLE = 0x4711;

/** 0: samples; 1: it has played to the end. */
const PLAY = String.raw`
use strict; use warnings; use Socket;
my ($display) = $ENV{DISPLAY} =~ /:(\d+)/;
socket(my $door, AF_UNIX, SOCK_STREAM, 0) or die;
connect($door, pack_sockaddr_un("/run/xrdp/sockdir/xrdp_chansrv_audio_out_socket_$display")) or die "no door: $!";
my $samples = join '', map { pack 'v v', ${LEFT_SAMPLE}, $_ } 0 .. 2047;
for (1 .. 4) { syswrite $door, pack('V V', 0, 8 + length $samples) . $samples; select undef, undef, undef, 0.05 }
syswrite $door, pack('V V', 1, 8);
`;

/** Nothing is played while its door is closed, as soon after its screen was made. */
export async function playSound(xrdp: Pick<TestXrdp, 'inSession'>): Promise<void> {
  await xrdp.inSession(['perl', '-e', PLAY]).catch(() => undefined);
}
