/** The connectors of all kinds, as one list: on the command line a name is enough. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { printable } from '@gatehouse/contract/std/printable';
import type { Io } from '../command.ts';
import { anyGateway, type WhichGateway } from '../gateway/resolve-gateway.ts';
import { withFreshProof } from '../input/fresh-proof.ts';
import { Failure } from '../runtime/failure.ts';

export async function connectorCalls(io: Io, options: WhichGateway) {
  const [{ call }, { CONNECTOR_KINDS }, { CONNECTOR_ROUTES }, { connectorTestRoutes }, send] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/connectors/connector-kinds'),
    import('@gatehouse/contract/identity/connectors/connectors'),
    import('@gatehouse/contract/identity/connectors/connector-tests'),
    anyGateway(io, options),
  ]);

  async function list(): Promise<ConnectorItem[]> {
    const found = await Promise.all(CONNECTOR_KINDS.map((kind) => call(send, CONNECTOR_ROUTES[kind].list, {})));
    return found.flat().toSorted((a, b) => a.name.localeCompare(b.name));
  }

  return {
    list,

    async find(name: string): Promise<ConnectorItem> {
      const found = (await list()).find((each) => each.name === name);
      if (!found) throw new Failure('notFound', `connector '${printable(name)}' not found`);
      return found;
    },

    create: (kind: ConnectorKind, content: string): Promise<ConnectorItem> =>
      withFreshProof(io, send, () => call(send, CONNECTOR_ROUTES[kind].create, { body: { content } })),

    update: ({ kind, name, revision }: ConnectorItem, content: string): Promise<ConnectorItem> =>
      withFreshProof(io, send, () =>
        call(send, CONNECTOR_ROUTES[kind].update, {
          params: { name },
          body: { content, ...(revision === undefined ? {} : { revision }) },
        }),
      ),

    remove: ({ kind, name }: ConnectorItem) =>
      withFreshProof(io, send, () => call(send, CONNECTOR_ROUTES[kind].remove, { params: { name } })),

    /** What a provider must be told of this gateway. */
    check: (kind: ConnectorKind, content: string) => call(send, connectorTestRoutes.check, { body: { kind, content } }),

    beginTest: (kind: ConnectorKind, content: string, { asksWho }: { asksWho: boolean }) =>
      call(send, connectorTestRoutes.begin, { body: { kind, content, asksWho } }),

    readTest: (id: string) => call(send, connectorTestRoutes.read, { params: { id } }),
  };
}
