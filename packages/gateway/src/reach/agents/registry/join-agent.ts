/** A machine becomes an agent, or an agent joins again with the key it has. */
import { randomUUID } from 'node:crypto';
import { factsOf, MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { instanceJoined } from '@gatehouse/contract/kinds/node/server-events';
import type { IamProof } from '@gatehouse/contract/reach/join-tokens/iam';
import { verifyJoin } from '@gatehouse/tunnel/handshake/join-proof';
import { isCalled, refuseAmbiguousName } from '../../../inventory/host-names.ts';
import { refuseLockedName } from '../../../inventory/leaving-locks.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { isUniqueViolation } from '../../../platform/storage/errors.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import type { AwsCaller } from '../iam/ask-sts.ts';
import type { IamJoins } from '../iam/iam-joins.ts';
import { noteAttempt } from '../join-tokens/join-attempt-store.ts';
import type { StoredJoinToken } from '../join-tokens/join-token-store.ts';
import { mayOffer } from '../join-tokens/may-offer.ts';
import type { JoinTokens } from '../join-tokens/redeem-join-token.ts';
import { type Agent, findAgentByKey, insertAgent, rejoinAgent } from './agent-store.ts';
import type { JoinChallenges } from './join-challenges.ts';

export interface JoinDeps {
  tokens: Pick<JoinTokens, 'redeem'>;
  audit: Audit;
  clusterName: string;
  now: () => number;
  challenges: JoinChallenges;
  iam: IamJoins;
  /** Whether this gateway goes by the host and port the machine dialled. */
  isAudience(audience: string, asked: string): boolean;
}

export interface JoinRequest {
  token: string;
  key: string;
  name: string;
  version: string;
  address: string;
  nonce: string;
  audience: string;
  signature: string;
  /** Of a machine in AWS, which has no secret to show. */
  iam?: IamProof | undefined;
  /** The host the request named. */
  asked: string;
}

type Joined = Pick<Agent, 'id' | 'labels'>;

export async function joinAgent(deps: JoinDeps, asked: JoinRequest): Promise<Joined> {
  const { tokens, audit, clusterName: cluster, now } = deps;
  const { key, name, version, address } = asked;
  const isKnown = async (tx: Tx) => (await findAgentByKey(tx, cluster, key)) !== undefined;
  const isProven = await provesKey(deps, asked);
  let caller: AwsCaller | undefined;
  const { iam } = asked;
  const byIam = iam && {
    method: 'iam' as const,
    prove: async (token: StoredJoinToken) => {
      if (!isProven) throw unproven();
      caller = await deps.iam.prove(token, asked, iam);
    },
  };
  try {
    return await tokens.redeem(asked.token, { address, name, key, isKnown, ...byIam }, async (tx, token) => {
      const { roles, labels, offers, group, matcherLabels, createdBy } = token;
      if (!isProven) throw unproven();
      if (!mayOffer(offers, factsOf(MACHINE_KIND).path, name))
        throw new AppError(
          'conflict',
          `the join token is not for a machine called '${name}': give it another name with --name`,
        );
      const known = await findAgentByKey(tx, cluster, key);
      // The first answer was lost. Labels name their token, so equal ones are from the same.
      if (known && known.name === name && sameLabels(known.labels, labels)) return known;
      const id = known?.id ?? randomUUID();
      if (known && known.name !== name) await refuseLockedName(tx, now(), known.name);
      if (known?.name !== name) await refuseTakenName(tx, cluster, name, id);
      const given = { name, roles, labels, offers, group, matcherLabels, version, createdBy };
      if (known) await rejoinAgent(tx, id, given);
      else await insertAgent(tx, { ...given, id, cluster, key, created: now(), address });
      await audit.emit(tx, instanceJoined, {
        success: true,
        host_id: id,
        node_name: name,
        role: roles.join(', '),
        method: token.method,
        ...(caller ? { attributes: { ...caller } } : {}),
        token_name: token.id,
        'addr.remote': address,
      });
      await noteAttempt(tx, token, { outcome: 'joined', agent: id, name, address }, now());
      return { id, labels };
    });
  } catch (error) {
    // Two with one name, or one key twice, at the very same moment.
    if (isUniqueViolation(error)) throw new AppError('conflict', `'${name}' is joining already: try again in a moment`);
    throw error;
  }
}

function unproven(): AppError {
  return new AppError('denied', 'the machine did not prove that it holds its key, or did not mean this gateway');
}

/** With the public key of another agent and any token, that agent could be renamed and relabelled. */
async function provesKey({ challenges, isAudience }: JoinDeps, asked: JoinRequest): Promise<boolean> {
  const isFresh = await challenges.isOurs(asked.nonce);
  return isFresh && isAudience(asked.audience, asked.asked) && verifyJoin(asked.key, asked.signature, asked);
}

async function refuseTakenName(tx: Tx, cluster: string, name: string, id: string): Promise<void> {
  await refuseAmbiguousName(tx, { cluster, name, id });
  const agent = await tx
    .selectFrom('agent')
    .select('id')
    .where('cluster', '=', cluster)
    .where(isCalled('agent.name', name))
    .where('id', '<>', id)
    .executeTakeFirst();
  if (agent) {
    throw new AppError(
      'conflict',
      `the name '${name}' belongs to another agent: give this machine another with --name, or first forget the other with: gatehouse agents rm ${name}`,
      { fields: { next: `gatehouse agents rm ${name}` } },
    );
  }
  const machine = await tx
    .selectFrom('resource')
    .select('id')
    .where('cluster', '=', cluster)
    .where('kind', '=', MACHINE_KIND)
    .where(isCalled('resource.name', name))
    .where('owner', '<>', id)
    .executeTakeFirst();
  if (machine) {
    const { noun, path } = factsOf(MACHINE_KIND);
    throw new AppError(
      'conflict',
      `the name '${name}' belongs to another ${noun}: give this machine another with --name, or first remove the other with: gatehouse ${path} rm ${name}`,
      { fields: { next: `gatehouse ${path} rm ${name}` } },
    );
  }
}

function sameLabels(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
