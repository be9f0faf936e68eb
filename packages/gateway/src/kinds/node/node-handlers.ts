/** Answers the calls that list, add, change and remove servers. */

import { type OpenSshNodeSpec, openSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { nodeHostKeysChanged, nodeRemoved } from '@gatehouse/contract/kinds/node/server-events';
import { OK } from '@gatehouse/contract/wire/ack';
import { authorityLine } from '../../identity/authorities/ssh/authority-line.ts';
import type { SshAuthorities } from '../../identity/authorities/ssh/create-ssh-authorities.ts';
import { requireLiftOf } from '../../inventory/leaving-locks.ts';
import type { ListIndex } from '../../inventory/list-index/create-list-index.ts';
import { putResources, type Resource, removeResource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { notFound } from '../../platform/std/app-error.ts';
import { type AddNodeDeps, addNode, cleanLine, fingerprintOf, refuseTwin } from './add-node.ts';
import { editNode } from './edit-node.ts';
import { type EnrolNodeDeps, enrolNode } from './enrol-node.ts';
import { readAgain, requireEntered, requireSameMachine } from './entered-node.ts';
import { findChangeableNode } from './find-node.ts';
import { createNodeList, toNode } from './node-list.ts';
import { refuseReturn, rememberRemoved, rememberUnpinned } from './removed-nodes.ts';

export interface NodeDeps extends AddNodeDeps, EnrolNodeDeps {
  authorities: Pick<SshAuthorities, 'list'>;
  index?: Pick<ListIndex, 'find' | 'refresh'>;
}

export function nodeHandlers(deps: NodeDeps): Handlers<typeof nodeRoutes> {
  const { db, access, audit, authorities, connections, now } = deps;
  const on = (cluster: string) => ({ ...deps, clusterName: cluster });
  const listOf = (cluster: string) => createNodeList(on(cluster));
  const authorityLines = async (cluster: string) =>
    (await authorities.list()).map((each) => authorityLine(each, cluster));

  async function findOwn(actor: Actor, cluster: string, wanted: string, verb: 'update' | 'delete') {
    const resource = await findChangeableNode(on(cluster), actor, { wanted, verb });
    return { resource, spec: requireEntered(resource) };
  }

  return {
    list: ({ actor, cluster, query }) => listOf(cluster).list(actor, query),
    summary: ({ actor, cluster }) => listOf(cluster).summary(actor),
    get: ({ actor, cluster, params: { id } }) => listOf(cluster).get(actor, id),

    async add({ actor, cluster, body, exchange }) {
      const object = { kind: 'node', name: body.name, labels: body.labels };
      access.require(actor, { type: 'verb', resource: 'node', verb: 'create', object });
      const resource = await addNode(on(cluster), { actor, address: exchange.address, wanted: body });
      return {
        node: toNode(actor, access, resource),
        authorities: await authorityLines(cluster),
        hostFingerprints: openSshNodeSpec.parse(resource.spec).hostKeys.map(fingerprintOf),
      };
    },

    async update({ actor, cluster, params: { id }, body, exchange }) {
      const { resource: before, spec } = await findOwn(actor, cluster, id, 'update');
      const { resource, effects } = await editNode(on(cluster), {
        actor,
        address: exchange.address,
        before,
        spec,
        change: body,
      });
      return { node: toNode(actor, access, resource), effects };
    },

    async readHostKeys({ actor, cluster, params: { id } }) {
      const { resource, spec } = await findOwn(actor, cluster, id, 'update');
      const shown = await connections.scanHostKeys(resource, { who: { user: actor.username, session: resource.id } });
      const told = (lines: readonly string[]) =>
        lines.map((publicKey) => ({ publicKey, fingerprint: fingerprintOf(publicKey) }));
      return { name: resource.name, pinned: told(spec.hostKeys), shown: told(shown) };
    },

    async setHostKeys({ actor, cluster, params: { id }, body, exchange }) {
      const { resource, spec } = await findOwn(actor, cluster, id, 'update');
      const hostKeys = body.hostKeys.map(cleanLine);
      await refuseTwin(on(cluster), actor, { ...resource, addr: spec.addr, through: spec.through, hostKeys });
      const hostFingerprints = hostKeys.map(fingerprintOf);
      const people = access.mayEditRoles(actor) ? [] : await deps.people();
      await db.transaction().execute(async (tx) => {
        const { resource: current, spec: held } = await readAgain(tx, { access, actor, verb: 'update' }, resource);
        requireSameMachine(held, { ...spec, hostKeys: held.hostKeys }, current.name);
        await requireLiftOf(tx, { access, actor, now: now() }, current);
        await refuseReturn(tx, { access, actor, people }, current, { ...held, hostKeys });
        await putResources(tx, [{ ...current, spec: { ...held, hostKeys } }], now());
        await rememberUnpinned(tx, current, { before: held.hostKeys, after: hostKeys }, now());
        const fields = { ...told(actor, current, held), fingerprints: hostFingerprints };
        await audit.emit(tx, nodeHostKeysChanged, fields, contextOf(actor, exchange));
      });
      return { hostFingerprints };
    },

    async remove({ actor, cluster, params: { id }, exchange }) {
      const { resource: found } = await findOwn(actor, cluster, id, 'delete');
      await db.transaction().execute(async (tx) => {
        const { resource, spec } = await readAgain(tx, { access, actor, verb: 'delete' }, found);
        await requireLiftOf(tx, { access, actor, now: now() }, resource);
        if (!(await removeResource(tx, resource))) throw notFound('server', id);
        await rememberRemoved(tx, resource, spec, now());
        await tx
          .deleteFrom('node_state')
          .where('cluster', '=', resource.cluster)
          .where('id', '=', resource.id)
          .execute();
        const context = contextOf(actor, exchange);
        await audit.emit(tx, nodeRemoved, told(actor, resource, spec), context);
      });
      return OK;
    },

    async enrol({ body, exchange }) {
      const asked = new URL(exchange.origin).host;
      // A machine names no cluster: it joins the one whose token it shows.
      const id = await enrolNode(deps, { body, asked, address: exchange.address });
      return { id, authorities: await authorityLines(deps.clusterName) };
    },
  };
}

function told(actor: Actor, { name, id }: Resource, { addr }: OpenSshNodeSpec) {
  return { user: actor.username, name, server_id: id, server_addr: addr };
}
