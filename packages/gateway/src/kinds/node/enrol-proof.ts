/** What a machine with plain OpenSSH signs with its host keys when it enters itself: that it holds them, for this and now. */
import { publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';
import { signerOf } from '../../platform/crypto/ssh/ssh-signature.ts';

/** Nothing else that a host key ever signs is for this. `install-node.sh` says it too. */
export const ENROL_NAMESPACE = 'enrol@gatehouse';
const CONTEXT = 'gatehouse enrol proof 1';

export interface EnrolProofFields {
  /** From the gateway, a moment ago. */
  nonce: string;
  token: string;
  name: string;
  addr: string;
  /** Host and port that were dialled. */
  audience: string;
}

/** One line each, as `install-node.sh` writes them. Nothing where a part has a line end: one text would stand for two sets of parts. */
export function enrolText({ nonce, token, name, addr, audience }: EnrolProofFields): string | undefined {
  const lines = [CONTEXT, nonce, token, name, addr, audience];
  return lines.some((line) => line.includes('\n')) ? undefined : lines.map((line) => `${line}\n`).join('');
}

/** Those of `hostKeys`, in their order, of which a proof shows that the machine holds them. */
export function provenKeys(
  hostKeys: readonly string[],
  { proofs, ...parts }: EnrolProofFields & { proofs: readonly string[] },
): string[] {
  const text = enrolText(parts);
  if (text === undefined) return [];
  const signed = { namespace: ENROL_NAMESPACE, text };
  const signers = new Set(
    proofs.flatMap((proof) => {
      const key = signerOf(proof, signed);
      return key ? [publicKeyLine(key)] : [];
    }),
  );
  return hostKeys.filter((line) => signers.has(line));
}
