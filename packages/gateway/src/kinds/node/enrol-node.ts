/** A machine with plain OpenSSH enters itself with a join token. Asked again, it finds itself there already. */
import { createHash, randomUUID } from 'node:crypto';
import { type OpenSshNodeSpec, openSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { nodeAdded } from '@gatehouse/contract/kinds/node/server-events';
import type { Body } from '@gatehouse/contract/wire/route';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { putResources, type Resource, toResource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { noteAttempt } from '../../reach/agents/join-tokens/join-attempt-store.ts';
import { mayOffer } from '../../reach/agents/join-tokens/may-offer.ts';
import type { JoinTokens } from '../../reach/agents/join-tokens/redeem-join-token.ts';
import type { JoinChallenges } from '../../reach/agents/registry/join-challenges.ts';
import { cleanLine, fingerprintOf } from './add-node.ts';
import type { NodeConnections } from './connect-node.ts';
import { provenKeys } from './enrol-proof.ts';
import { hasTwin, refuseForbidden, refuseTakenName } from './node-rules.ts';

export interface EnrolNodeDeps {
  db: Db;
  audit: Audit;
  tokens: Pick<JoinTokens, 'require' | 'redeem'>;
  clusterName: string;
  now: () => number;
  connections: Pick<NodeConnections, 'scanHostKeys' | 'addressesOf'>;
  challenges: Pick<JoinChallenges, 'isOurs'>;
  /** Whether this gateway goes by the host and port the machine dialled. */
  isAudience(audience: string, asked: string): boolean;
}

export interface EnrolRequest {
  body: Body<typeof nodeRoutes.enrol>;
  address: string;
  /** The host the request named. */
  asked: string;
}

export async function enrolNode(deps: EnrolNodeDeps, request: EnrolRequest): Promise<string> {
  const { db, audit, tokens, clusterName: cluster, now } = deps;
  const { body, address } = request;
  const { name, addr } = body;
  refuseHiddenLabels(body.labels);
  refuseForbidden(addr);
  const given = body.hostKeys.map(cleanLine);
  // Signatures cost time and the search for twins looks at many servers: only for who has a token, and before the store is
  // held for writing.
  await tokens.require(body.token, { address, name });
  const hostKeys = await heldKeys(deps, given, request);
  const key = createHash('sha256').update(hostKeys.toSorted().join('\n')).digest('hex');
  const twin = await hasTwin(db, { cluster, addr, hostKeys }, deps.connections.addressesOf);
  return await tokens.redeem(
    body.token,
    { address, name, key, role: 'Node', isKnown: async () => twin },
    async (tx, token) => {
      if (hostKeys.length === 0)
        throw new AppError(
          'denied',
          'the machine did not prove that it holds one of its host keys, or did not mean this gateway',
        );
      if (!mayOffer(token.offers, 'nodes', name))
        throw new AppError('conflict', `the join token is not for a server called '${name}': give it another name`);
      const label = Object.keys(body.labels).find((key) => !mayOffer(token.offers, 'labels', key));
      if (label !== undefined)
        throw new AppError('conflict', `the join token does not let a machine give itself the label '${label}'`);
      const known = await findByName(tx, cluster, name);
      if (known && isSame(known, { addr, hostKeys })) return known.id;
      const id = randomUUID();
      await refuseTakenName(tx, { cluster, name });
      if (twin)
        throw new AppError(
          'conflict',
          'a server with this address or one of these host keys is here already under another name: remove that one first, or, on a copied machine, make new host keys (rm /etc/ssh/ssh_host_*; ssh-keygen -A)',
        );
      const spec: OpenSshNodeSpec = { type: 'openssh', hostname: name, addr, hostKeys, hostAuthorities: [] };
      // The token's labels win: a machine cannot say of itself what its administrator has said.
      const labels = { ...body.labels, ...token.labels };
      await putResources(tx, [{ cluster, kind: 'node', id, name, labels, spec, owner: '', expires: undefined }], now());
      await audit.emit(
        tx,
        nodeAdded,
        {
          name,
          server_id: id,
          server_addr: addr,
          fingerprints: hostKeys.map(fingerprintOf),
          token_name: token.id,
        },
        { address },
      );
      const offers = { count: 1, taken: [{ kind: 'node', name }], notTaken: [] };
      await noteAttempt(tx, token, { outcome: 'joined', agent: id, name, address, offers }, now());
      return id;
    },
  );
}

/** Keys it only names are left out: a machine would be known by the key of another, and take the other's place in the list. */
async function heldKeys(
  { challenges, isAudience }: EnrolNodeDeps,
  given: readonly string[],
  { body, asked }: EnrolRequest,
): Promise<string[]> {
  if (!(await challenges.isOurs(body.nonce)) || !isAudience(body.audience, asked)) return [];
  return provenKeys(given, body);
}

async function findByName(db: Db, cluster: string, name: string): Promise<Resource | undefined> {
  const row = await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', '=', 'node')
    .where('name', '=', name)
    .where('owner', '=', '')
    .executeTakeFirst();
  return row && toResource(row, 'node');
}

/** Nothing of it is changed: labels and addresses of a server that is there are an administrator's to change. */
function isSame(known: Resource, { addr, hostKeys }: Pick<OpenSshNodeSpec, 'addr' | 'hostKeys'>): boolean {
  const spec = openSshNodeSpec.safeParse(known.spec);
  return spec.success && spec.data.addr === addr && spec.data.hostKeys.some((line) => hostKeys.includes(line));
}
