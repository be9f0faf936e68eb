/** Answers the calls that try a connector, saved or not, before anybody signs in with it. */
import { setImmediate } from 'node:timers/promises';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { newToken } from '../../../platform/crypto/tokens.ts';
import type { Actor, Who } from '../../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { findUsers } from '../../stores/user-store.ts';
import { type ConnectorDeps, openAs } from '../connector-deps.ts';
import { type ParsedConnector, parseConnector } from '../document/parse-connector.ts';
import { compileConnector } from '../mapping/map-assertion.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/providers.ts';
import { beginAttempt } from '../sign-in/flow/begin-attempt.ts';
import { failTest, type TestResult, waitingTest } from '../sign-in/flow/finish-test.ts';
import { GO } from '../sign-in/flow/open-test.ts';
import { findAttempt, insertAttempt } from '../stores/attempt-store.ts';
import { findConnector, type StoredConnector } from '../stores/connector-store.ts';
import { listIdentitiesAt } from '../stores/identity-store.ts';
import { notesOnConnector } from './notes-on-connector.ts';
import { ownMachineOf } from './own-machine.ts';
import { keptSecrets, refuseOthersGift, requireConnectorRight, requireMaySave } from './save-connector.ts';

export function testHandlers(deps: ConnectorDeps): Handlers<typeof connectorTestRoutes> {
  const { db, access, secrets, provider, now } = deps;

  /** A draft shows what a provider says of people, and goes on with the secrets of the one it is of: it is for those who could save it. */
  async function readDraft(
    actor: Actor,
    kind: ConnectorKind,
    content: string,
  ): Promise<{ parsed: ParsedConnector; held: StoredConnector | undefined }> {
    requireConnectorRight(access, actor, 'edit');
    const parsed = parseConnector(kind, content);
    requireMaySave({ access, actor, origin: provider.publicOrigin() }, parsed);
    const held = await findConnector(db, parsed.name);
    if (held) refuseOthersGift({ access, actor }, held);
    return { parsed, held };
  }

  return {
    async begin({ actor, body: { kind, content, asksWho }, exchange }) {
      const { parsed, held } = await readDraft(actor, kind, content);
      const isSame = held?.kind === kind;
      const kept = isSame ? keptSecrets(secrets, parsed, held) : {};
      const ownMachine = ownMachineOf({ access, actor }, parsed, held);
      const draft = { content: parsed.content, secrets: { ...kept, ...parsed.secrets }, ownMachine };
      const facts = isSame ? held.facts : {};
      const id = await beginAttempt(deps, {
        connector: openAs(kind, { name: parsed.name, facts, ...draft }),
        revision: '',
        purpose: 'test',
        who: actor,
        path: '',
        draft,
        asksWho,
        address: exchange.address,
        browserHash: '',
      }).then(
        (begun) => begun.id,
        (error: unknown) => keepUnbegun(deps, { kind, connector: parsed.name, who: actor, error, exchange }),
      );
      return { id, url: `${provider.publicOrigin()}${GO}${id}` };
    },

    async read({ actor, params: { id } }) {
      const found = await findAttempt(db, secrets, id, now());
      if (found?.attempt.purpose !== 'test' || found.attempt.user !== actor.username) throw notFound('test', id);
      const { attempt, kept, result } = found;
      const told = result === undefined ? waitingTest(kept) : (JSON.parse(result) as TestResult);
      const { kind, connector, expires } = attempt;
      return { id, kind, connector, ...told, expires: new Date(expires).toISOString() };
    },

    async check({ actor, body: { kind, content } }) {
      const { parsed, held } = await readDraft(actor, kind, content);
      const enter = providerOf(kind).enter(parsed, provider.publicOrigin());
      return {
        name: parsed.name,
        notes: notesOnConnector({ access, actor }, parsed, held?.hasSecret),
        enter: [...enter],
      };
    },

    async effect({ actor, body: { kind, content } }) {
      const { parsed } = await readDraft(actor, kind, content);
      const mapping = compileConnector(parsed);
      const identities = await listIdentitiesAt(db, parsed.name);
      const users = new Map(
        (
          await findUsers(
            db,
            identities.map(({ user }) => user),
          )
        ).map((user) => [user.name, user]),
      );
      const all = [];
      for (const { user, claims, name } of identities) {
        // There may be thousands, and others have their turn between two of them.
        await setImmediate();
        if (!access.decide(actor, readUser(user)).allowed) continue;
        const before = (users.get(user)?.roles ?? []).toSorted();
        const after = (await mapping(access, claims)).roles.toSorted();
        const refused = after.length === 0 ? { refused: `no entry of '${parsed.name}' gives ${name} a role` } : {};
        all.push({ user, before, after, ...refused });
      }
      const changed = all.filter(({ before, after }) => before.join('\n') !== after.join('\n'));
      return { users: changed, unchanged: all.length - changed.length };
    },
  };
}

interface Unbegun {
  kind: ConnectorKind;
  connector: string;
  who: Who;
  error: unknown;
  exchange: Pick<Exchange, 'address' | 'userAgent'>;
}

/** A provider that cannot even be asked has failed its test: how, is read like any other end. */
async function keepUnbegun(deps: ConnectorDeps, { kind, connector, who, error, exchange }: Unbegun): Promise<string> {
  const { db, secrets, now } = deps;
  const told = error instanceof AppError ? new ProviderError('discovery', error.message, { cause: error }) : error;
  if (!(told instanceof ProviderError)) throw error;
  const id = await insertAttempt(db, secrets, {
    state: newToken(),
    kind,
    connector,
    revision: '',
    purpose: 'test',
    user: who.username,
    signInId: who.signInId,
    address: exchange.address,
    browserHash: '',
    kept: { kept: {}, callback: '', path: '', discovery: '', url: '' },
    now: now(),
  });
  const found = await findAttempt(db, secrets, id, now());
  if (found) await failTest(deps, found.attempt, found.kept, { error: told, exchange });
  return id;
}

function readUser(name: string) {
  return { type: 'verb', resource: 'user', verb: 'read', object: { kind: 'user', name } } as const;
}
