/** Answers whether there is anything to reach, whether a second factor is asked, and what a tried connection says. */
import { randomUUID } from 'node:crypto';
import { assertionResponse } from '@gatehouse/contract/identity/webauthn';
import { factsOf, isKind, type Kind, rows } from '@gatehouse/contract/kinds/kinds';
import { connectionTried } from '@gatehouse/contract/kinds/node/server-events';
import type { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { seesAnything } from '../../inventory/find-seen.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { createSemaphore } from '../../platform/std/semaphore.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { addressOf } from '../host/about-session.ts';
import { cleanDiagnostic } from './clean-diagnostic.ts';
import type { TestedKinds } from './connection-test.ts';
import { findDiagnostic, insertDiagnostic, listEarlier } from './diagnostic-store.ts';
import { findAsked } from './find-asked.ts';
import { createSteps, StepFailed } from './take-steps.ts';
import { createTryDraft } from './try-draft.ts';

export interface DiagnosticDeps {
  db: Db;
  kinds: TestedKinds;
  clusterName: string;
  access: AccessControl;
  audit: Audit;
  now: () => number;
  proveAgain(actor: Actor, answer: FactorAnswer, exchange: Exchange): Promise<void>;
}

interface FactorAnswer {
  code: string | undefined;
  key: ReturnType<typeof assertionResponse.parse> | undefined;
}

type ConnectBody = Body<typeof diagnosticRoutes.connect>;

const TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 30_000;
/** Each holds connections of its own for a while. */
const MAX_TESTS = 50;
const MAX_TESTS_PER_USER = 5;
/** All steps of one test together. */
const WHOLE_TEST_MS = 90_000;

export function diagnosticHandlers(deps: DiagnosticDeps): Handlers<typeof diagnosticRoutes> {
  const { db, access, audit, now } = deps;
  const places = createSemaphore({
    total: MAX_TESTS,
    perKey: MAX_TESTS_PER_USER,
    refuse: () => new AppError('too_many', 'too many connections are being tested: try again in a moment'),
  });
  const tryDraft = createTryDraft({ db, access, audit, places, now });
  const admit = (actor: Actor, verb: 'create' | 'read') =>
    access.require(actor, {
      type: 'verb',
      resource: 'connection_diagnostic',
      verb,
      object: { kind: 'connection_diagnostic' },
    });

  function factorIn({ mfa_response: given }: ConnectBody, actor: Actor, exchange: Exchange) {
    const code = given?.totp_code || undefined;
    const key = given?.webauthn_response
      ? parseInput(assertionResponse, given.webauthn_response, 'webauthn_response')
      : undefined;
    return code || key ? () => deps.proveAgain(actor, { code, key }, exchange) : undefined;
  }

  return {
    async check({ actor }) {
      return { hasResource: await seesAnything(deps, actor) };
    },

    async mfaRequired({ actor, body }) {
      await findAsked(deps.kinds, actor, body);
      return { required: !actor.isOwner && sessionOptions(access.of(actor)).requireMfa };
    },

    async connect({ actor, body, exchange }) {
      admit(actor, 'create');
      const { resource_kind: called, resource_name: wanted, dial_timeout } = body;
      const kind = kindCalled(called);
      const test = kind && deps.kinds[kind].test;
      if (!test) throw new AppError('not_available', `connections to '${called}' cannot be tested yet`);
      const names = namesIn(kind, body);
      const login = loginIn(kind, names);
      const proveFactor = factorIn(body, actor, exchange);
      const id = randomUUID();
      const steps = createSteps();
      let found: Resource | undefined;
      // Nanoseconds on the wire.
      const timeoutMs = Math.min(dial_timeout ? dial_timeout / 1e6 : TIMEOUT_MS, MAX_TIMEOUT_MS);
      const message = await places.run(
        () =>
          test(steps, {
            actor,
            wanted,
            names,
            given: body,
            session: id,
            timeoutMs: Math.max(1, timeoutMs),
            signal: AbortSignal.timeout(WHOLE_TEST_MS),
            proveFactor,
            onFound: (resource) => {
              found = resource;
            },
          }).then(
            () => undefined,
            (error: unknown) => {
              if (error instanceof StepFailed) return error.message;
              throw error;
            },
          ),
        actor.username,
      );
      const words = message ?? worked(kind, login, found?.name ?? wanted);
      const said = { id, success: message === undefined, message: words, traces: steps.traces };
      // Nothing stored is looked for in it: whoever chose a name in these words would learn where it meets a password.
      const diagnostic = cleanDiagnostic(said, []);
      await db.transaction().execute(async (tx) => {
        const about = { kind, resource: found?.id ?? wanted };
        await insertDiagnostic(tx, { user: actor.username, now: now(), diagnostic, about });
        const fields = {
          user: actor.username,
          ...(login === undefined ? {} : { login }),
          ...told(kind, found, wanted),
          success: diagnostic.success,
          message: diagnostic.message,
        };
        const context = { signInId: actor.signInId, sessionId: id, address: exchange.address };
        await audit.emit(tx, connectionTried, fields, context);
      });
      return diagnostic;
    },

    async draft({ actor, cluster, body: { kind: called, spec, through }, exchange }) {
      admit(actor, 'create');
      const kind = kindCalled(called);
      const read = kind && deps.kinds[kind].draft;
      if (!read) throw new AppError('not_available', `'${called}' cannot be tested before it is added`);
      return await tryDraft({ actor, cluster, kind, read, spec, through, address: exchange.address });
    },

    async earlier({ actor, query: { resource_kind: called, resource_name: wanted } }) {
      admit(actor, 'read');
      const kind = kindCalled(called);
      if (!kind) return { items: [] };
      const found = await deps.kinds[kind].find(actor, wanted).catch(ifNotFound);
      // Before it was seen it had no other name than the one that was asked for.
      const names = [...new Set([wanted, ...(found ? [found.id, found.name] : [])])];
      return { items: await listEarlier(db, { user: actor.username, kind, names, now: now() }) };
    },

    async read({ actor, params: { id } }) {
      admit(actor, 'read');
      const diagnostic = await findDiagnostic(db, { id, user: actor.username, now: now() });
      if (!diagnostic) throw notFound('connection test', id);
      return diagnostic;
    },
  };
}

function ifNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}

/** As it is called here, or as rules call it, which is what the wire reference writes. */
function kindCalled(called: string): Kind | undefined {
  return isKind(called) ? called : rows.find(({ rules }) => rules.some((rule) => rule === called))?.kind;
}

/** Those that the kind is tested with. Throws where one is missing without which nobody connects. */
function namesIn(kind: Kind, body: ConnectBody): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = body;
  const { principals, noun } = factsOf(kind);
  const names = principals.flatMap(({ name, testedAs, required }): [string, string][] => {
    if (testedAs === undefined) return [];
    const value = given[testedAs];
    if (typeof value === 'string' && value !== '') return [[name, value]];
    if (required) throw new AppError('bad_request', `body '${testedAs}': name whom to become on the ${noun}`);
    return [];
  });
  return Object.fromEntries(names);
}

function loginIn(kind: Kind, names: Readonly<Record<string, string>>): string | undefined {
  const principal = factsOf(kind).principals.find(({ login }) => login);
  return principal && names[principal.name];
}

function worked(kind: Kind, login: string | undefined, name: string): string {
  return `${login === undefined ? 'you' : `'${login}'`} can ${factsOf(kind).refusedVerb ?? 'connect to'} '${name}'`;
}

function told(kind: Kind, found: Resource | undefined, wanted: string) {
  const address = found ? addressOf(kind, found) : '';
  return {
    name: found?.name ?? wanted,
    resource_kind: kind,
    kind,
    resource_name: found?.name ?? wanted,
    server_id: found?.id ?? '',
    ...(address === '' ? {} : { server_addr: address }),
  };
}
