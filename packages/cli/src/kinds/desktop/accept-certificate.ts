/** Asks whoever sits there whether the certificate that a machine shows is the right one. */
import type { ShownCertificate } from '@gatehouse/contract/kinds/desktop/desktops';
import type { Format, Io } from '../../command.ts';
import { Failure } from '../../runtime/failure.ts';
import { tellCertificate } from './desktop-text.ts';

/** How to see it on the machine itself. */
const COMPARE = {
  rdp: 'Compare it on the machine, in PowerShell: Get-ChildItem "Cert:\\LocalMachine\\Remote Desktop" | ForEach-Object { $_.GetCertHashString("SHA256") }\n',
  vnc: 'Compare it on the machine, with the file that its VNC service was given: openssl x509 -noout -fingerprint -sha256 -in CERTIFICATE\n',
} as const;

interface Accepting {
  fingerprint?: string | undefined;
  yes?: boolean | undefined;
  format: Format;
  protocol: keyof typeof COMPARE;
}

export async function acceptCertificate(
  io: Io,
  shown: ShownCertificate,
  { fingerprint, yes, format, protocol }: Accepting,
): Promise<void> {
  if (fingerprint !== undefined) {
    if (plain(fingerprint) === plain(shown.pin)) return;
    throw new Failure('conflict', `the machine shows another certificate: ${shown.pin}`);
  }
  const isText = format === 'text';
  if (isText) io.stdout(tellCertificate(shown));
  if (yes) return;
  // Programs read what is printed, and are asked nothing.
  if (!io.ask || !isText)
    throw new Failure(
      'usage',
      `nobody can be asked whether it is the right certificate: say it with --fingerprint ${shown.pin}`,
    );
  io.stdout(COMPARE[protocol]);
  const answer = await io.ask('Is this its certificate? Type yes: ', new AbortController().signal);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure('failed', 'nothing was changed');
}

/** Windows prints it in capital letters and without what it is. */
function plain(fingerprint: string): string {
  return fingerprint
    .toLowerCase()
    .replace(/^sha256:/, '')
    .replaceAll(/[: ]/g, '');
}
