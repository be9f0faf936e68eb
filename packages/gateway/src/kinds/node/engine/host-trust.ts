/** Whether the key a server shows may be believed: pinned, or certified by an authority that is. Nothing is learnt here. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { CERTIFICATE_TYPES, parseCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { checkHostCertificate } from '../../../platform/crypto/ssh/host-certificate.ts';
import { fingerprint, parsePublicKey, typeOf } from '../../../platform/crypto/ssh/public-key.ts';
import { type ShownHostKey, SshFailure } from './ssh-failure.ts';

/** The part of a server's entry that a connection looks at. */
export interface SshTarget {
  name: string;
  /** HOST:PORT */
  addr: string;
  hostKeys: readonly string[];
  hostAuthorities: readonly string[];
}

export interface Believed {
  /** The key that must have signed the exchange. */
  plain: Buffer;
  /** Whether it came inside a certificate. */
  certified: boolean;
}

export interface HostTrust {
  /** Types to ask the server for, the ones we can check first. */
  algorithms: readonly string[];
  /** Throws an `SshFailure` that names both fingerprints. */
  check(blob: Buffer): Believed;
}

/** Strongest first. */
const PLAIN_TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa'];
/** RSA keys are asked for by the hash they sign with. */
const ALGORITHMS_OF: Record<string, readonly string[]> = { 'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'] };

export function plainAlgorithms(types: readonly string[] = PLAIN_TYPES): string[] {
  return types.flatMap((type) => ALGORITHMS_OF[type] ?? [type]);
}

export function createHostTrust(target: SshTarget, now: () => number): HostTrust {
  const pinned = target.hostKeys.map((line) => parsePublicKey(line));
  const authorities = target.hostAuthorities.map((line) => parsePublicKey(line).blob);
  const isPinned = (blob: Buffer) => pinned.some((key) => key.blob.equals(blob));
  // Types that are not pinned come last: a server that has only those left shows what it has, and is refused by name.
  const types = new Set([...PLAIN_TYPES.filter((type) => pinned.some((key) => key.type === type)), ...PLAIN_TYPES]);
  const refuse = (key: Buffer, why: string) =>
    refusal(
      target,
      {
        fingerprint: fingerprint(key),
        type: typeOf(key),
        pinned: pinned.map(({ blob }) => fingerprint(blob)),
      },
      why,
    );
  return {
    algorithms: [...(authorities.length > 0 ? Object.keys(CERTIFICATE_TYPES) : []), ...plainAlgorithms([...types])],
    check(blob) {
      if (isPinned(blob)) return { plain: blob, certified: false };
      if (!(typeOf(blob) in CERTIFICATE_TYPES)) throw refuse(blob, '');
      const { subject } = parseCertificate(blob);
      // Whoever pins a key means that key, with whatever certificate it comes.
      if (isPinned(subject)) return { plain: subject, certified: true };
      try {
        const host = hostOf(target.addr);
        return { plain: checkHostCertificate(blob, { authorities, host, now: now() }), certified: true };
      } catch (error) {
        throw refuse(subject, errorMessage(error));
      }
    },
  };
}

function refusal({ name, addr }: SshTarget, hostKey: ShownHostKey, why: string): SshFailure {
  const shown = `${hostKey.fingerprint} (${hostKey.type})`;
  if (why !== '')
    return new SshFailure('host_key', `the server '${name}' is not believed: ${why}`, {
      stage: 'handshake',
      hostKey,
      next: `have its host certificate renewed, or accept the key itself with: gatehouse nodes trust-host-key ${name}`,
    });
  const expected = hostKey.pinned.join(', ') || 'only certificates are trusted';
  return new SshFailure(
    'host_key',
    `the host key of '${name}' at ${addr} is not the pinned one: it shows ${shown}, expected was ${expected}`,
    {
      stage: 'handshake',
      hostKey,
      next:
        'if the server was installed anew, compare the fingerprint on the server itself (ssh-keygen -lf ' +
        `/etc/ssh/ssh_host_ed25519_key.pub) and accept it with: gatehouse nodes trust-host-key ${name} --fingerprint ` +
        `${hostKey.fingerprint}. If it was not, somebody may be in between: do not accept it`,
    },
  );
}

export function hostOf(addr: string): string {
  return addr.slice(0, addr.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}
