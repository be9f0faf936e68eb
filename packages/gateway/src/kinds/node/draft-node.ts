/** A server with plain OpenSSH that is about to be added. */
import { nodeDraft } from '@gatehouse/contract/kinds/node/nodes';
import type { AccessControl } from '../../access/create-access.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Reach } from '../../reach/reach.ts';
import { type Draft, throughOf } from '../../sessions/connection-tests/draft-test.ts';
import { takeWay } from '../../sessions/connection-tests/take-way.ts';
import { cleanLine, fingerprintOf } from './add-node.ts';
import { refuseForbidden } from './node-rules.ts';

export interface DraftNodeDeps {
  access: Pick<AccessControl, 'mayEditRoles'>;
  reach: Pick<Reach, 'way'>;
}

export function readNodeDraft({ access, reach }: DraftNodeDeps, given: unknown): Draft {
  const { name = '', labels, addr, hostKeys, hostFingerprint } = parseInput(nodeDraft, given, 'spec');
  refuseForbidden(addr);
  const wanted = hostFingerprint ? [hostFingerprint] : hostKeys?.map((line) => fingerprintOf(cleanLine(line)));
  return {
    ...{ rule: 'node', name, labels, addr, secrets: [] },
    async run(steps, test) {
      // As when it is added: others cannot even look at ports of the gateway's own machine.
      const mayBeThisMachine = test.agent === undefined && access.mayEditRoles(test.actor);
      const target = { addr, through: throughOf(test), mayBeThisMachine };
      const { stream, again } = await takeWay(steps, reach, target, test);
      const dials = [async () => stream];
      try {
        await steps.take({
          step: 'ssh',
          type: 'CONNECTIVITY',
          run: async () => {
            // Loaded when the first connection is made: no start waits for it.
            const { scanHostKeys } = await import('./engine/scan-host-keys.ts');
            const dial = () => (dials.pop() ?? again)();
            const lines = await scanHostKeys({ dial, addr, handshakeMs: test.timeoutMs });
            return { shown: known(lines, wanted), compare: compareOf(lines) };
          },
          tell: ({ shown }) =>
            wanted
              ? `it proved the host key ${shown.join(', ')}`
              : `it speaks SSH and shows the host keys ${shown.join(', ')}`,
          advise: ({ compare }) => (wanted ? undefined : `compare with what the server itself says: ${compare}`),
          // The one that the command reads.
          shown: ({ shown }) => (wanted ? undefined : shown[0]),
        });
      } finally {
        stream.destroy();
      }
    },
  };
}

/** The strongest stands first; some servers have no key of the type that most have. */
function compareOf([line = '']: readonly string[]): string {
  const type = /^(?:ssh|ecdsa)-(?:sha2-)?(ed25519|rsa|nistp)/.exec(line)?.[1] ?? 'ed25519';
  return `ssh-keygen -lf /etc/ssh/ssh_host_${type === 'nistp' ? 'ecdsa' : type}_key.pub`;
}

function known(lines: readonly string[], wanted: readonly string[] | undefined): readonly string[] {
  const shown = lines.map(fingerprintOf);
  if (!wanted) return shown;
  const matching = shown.filter((print) => wanted.includes(print));
  if (matching.length > 0) return matching;
  throw new AppError(
    'conflict',
    `it shows another host key than the one that was given: ${shown.join(', ')} instead of ${wanted.join(', ')}`,
    { fields: { next: `compare on the server: ${compareOf(lines)}` } },
  );
}
