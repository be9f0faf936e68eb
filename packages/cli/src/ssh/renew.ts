/** Keeps what ssh comes in by from ending while the sign-in goes on. */
import type { Io } from '../command.ts';
import { readProfile } from '../gateway/profile.ts';
import { credentialOf, parseOrigin, remoteSend } from '../gateway/remote-gateway.ts';
import { heldClusters } from './key-folder.ts';

/** After any command, of those whose certificates are about to end. What does not work now is tried by the next one. */
export async function renewSshKeys(io: Io): Promise<void> {
  const held = heldClusters(io);
  if (held.length === 0) return;
  const { endsSoon, getSshKeys } = await import('./get-keys.ts');
  for (const cluster of held.filter(endsSoon)) {
    const token = credentialFor(io, cluster.origin, cluster.expires);
    if (token === undefined) continue;
    const gateway = { origin: cluster.origin, send: remoteSend(cluster.origin, token) };
    await getSshKeys(io, gateway, false).catch(() => undefined);
  }
}

/** Only one that outlasts the certificate: of the others, another certificate would end just as soon. */
function credentialFor(io: Io, origin: string, expires: string): string | undefined {
  const { GATEHOUSE_TOKEN: script, GATEHOUSE_ADDRESS: address } = io.env;
  if (script && address && parseOrigin(address) === origin) return script;
  const own = readProfile(io).gateways[origin];
  return own && Date.parse(own.expires) > Date.parse(expires) ? credentialOf(io, origin) : undefined;
}
