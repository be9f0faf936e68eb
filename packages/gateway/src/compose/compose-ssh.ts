/** Puts together what the SSH door is made of: the certificates of people, and the key by which the door is known. */

import type { AuthorityKeyDeps } from '../identity/authorities/ssh/create-authority-keys.ts';
import { createDoorHostKey, type DoorHostKey } from '../identity/authorities/ssh/door-host-key.ts';
import { personCertificateHandlers } from '../identity/authorities/ssh/person-certificate-handlers.ts';
import { createPersonCertificates, type PersonCertificates } from '../identity/authorities/ssh/person-certificates.ts';
import type { Identity } from '../identity/identity.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';

export interface Ssh {
  handlers: FeatureHandlers<'sshCertificates'>;
  certificates: PersonCertificates;
  hostKey: DoorHostKey;
  close(): void;
}

export function composeSsh(parts: AuthorityKeyDeps & { identity: Pick<Identity, 'askHeadless'> }): Ssh {
  const certificates = createPersonCertificates(parts);
  const hostKey = createDoorHostKey(parts);
  return {
    certificates,
    hostKey,
    handlers: {
      sshCertificates: personCertificateHandlers({
        ...parts,
        certificates,
        hostKey,
        headless: parts.identity.askHeadless,
      }),
    },
    close() {
      certificates.close();
      hostKey.close();
    },
  };
}
