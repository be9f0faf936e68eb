/** Tries the way to something that is about to be added. Whoever may not add it dials nothing by it, and nobody can look through a network with it. */
import { randomUUID } from 'node:crypto';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { connectionTried } from '@gatehouse/contract/kinds/node/server-events';
import type { ConnectionDiagnostic, Trace } from '@gatehouse/contract/sessions/diagnostics';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import type { AccessControl } from '../../access/create-access.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Semaphore } from '../../platform/std/semaphore.ts';
import { createThrottle } from '../../platform/std/throttle.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { knownAgentId } from '../../reach/agents/registry/known-agent.ts';
import { countDiagnostics, insertDiagnostic } from './diagnostic-store.ts';
import type { ReadDraft } from './draft-test.ts';
import { createSteps, StepFailed } from './take-steps.ts';

const HOUR_MS = 3_600_000;
const MAX_PER_HOUR = 60;
const STEP_MS = 10_000;
const WHOLE_TEST_MS = 90_000;
const MAX_WORDS = 1_000;
/** Roles of clusters are whole documents. */
const MAX_NEXT = 8_000;
/** What a draft is told by in the store, so that all gateways count them. */
const DRAFT_PREFIX = 'draft-';

export interface DraftDeps {
  db: Db;
  access: Pick<AccessControl, 'require' | 'decide'>;
  audit: Audit;
  places: Semaphore;
  now: () => number;
}

export interface AskedDraft {
  actor: Actor;
  cluster: string;
  kind: Kind;
  read: ReadDraft;
  spec: unknown;
  through: string | undefined;
  address: string;
}

export type TryDraft = (asked: AskedDraft) => Promise<ConnectionDiagnostic>;

export function createTryDraft({ db, access, audit, places, now }: DraftDeps): TryDraft {
  // Counted when it begins: what fails by a mistake of ours has dialled as well.
  const mayTry = createThrottle(MAX_PER_HOUR, HOUR_MS, now);

  async function requireRate({ username }: Actor): Promise<void> {
    const since = { user: username, prefix: DRAFT_PREFIX, after: now() - HOUR_MS };
    if (mayTry(username) && (await countDiagnostics(db, since)) < MAX_PER_HOUR) return;
    throw new AppError(
      'too_many',
      `you have tested ${MAX_PER_HOUR} things within an hour before they were added: wait, or add it and test it then`,
    );
  }

  return async ({ actor, cluster, kind, read, spec, through, address }) => {
    const draft = read(spec);
    const { name, labels, addr } = draft;
    access.require(actor, { type: 'verb', resource: draft.rule, verb: 'create', object: { kind, name, labels } });
    const agent = through && (await knownAgentId({ db, access, clusterName: cluster }, actor, through));
    await requireRate(actor);
    const id = `${DRAFT_PREFIX}${randomUUID()}`;
    const steps = createSteps();
    const failed = await places.run(
      () =>
        draft
          .run(steps, {
            ...{ actor, cluster, agent: agent || undefined, who: { user: actor.username, session: id } },
            ...{ timeoutMs: STEP_MS, signal: AbortSignal.timeout(WHOLE_TEST_MS) },
          })
          .then(
            () => undefined,
            (error: unknown) => {
              if (error instanceof StepFailed) return error.message;
              throw error;
            },
          ),
      actor.username,
    );
    const clean = (text: string, max = MAX_WORDS) => visibleText(withoutSecrets(text, draft.secrets), max);
    const called = name || addr;
    const diagnostic: ConnectionDiagnostic = {
      id,
      success: failed === undefined,
      message: clean(failed ?? `the way to the ${factsOf(kind).noun} '${called}' works`),
      traces: steps.traces.map((trace) => cleanTrace(trace, clean)),
    };
    await db.transaction().execute(async (tx) => {
      await insertDiagnostic(tx, { user: actor.username, now: now(), diagnostic });
      const fields = {
        ...{ user: actor.username, name: called, server_id: '', server_addr: addr, kind, draft: true },
        ...{ resource_kind: kind, resource_name: called, success: diagnostic.success, message: diagnostic.message },
      };
      await audit.emit(tx, connectionTried, fields, { signInId: actor.signInId, sessionId: id, address });
    });
    return diagnostic;
  };
}

/** A target may repeat what it was shown. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '***')), text);
}

function cleanTrace(trace: Trace, clean: (text: string, max?: number) => string): Trace {
  const { details, error, gatehouse } = trace;
  const lines = (text: string) =>
    text
      .slice(0, MAX_NEXT)
      .split('\n')
      .map((line) => clean(line))
      .join('\n');
  return {
    ...trace,
    ...(details === undefined ? {} : { details: lines(details) }),
    ...(error === undefined ? {} : { error: clean(error) }),
    ...(gatehouse?.next === undefined ? {} : { gatehouse: { ...gatehouse, next: lines(gatehouse.next) } }),
  };
}
