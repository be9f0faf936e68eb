/** Tries the way to something that is about to be added. Whoever may not add it dials nothing by it, and nobody can look through a network with it. */
import { randomUUID } from 'node:crypto';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { connectionTried } from '@gatehouse/contract/kinds/node/server-events';
import type { ConnectionDiagnostic, Trace } from '@gatehouse/contract/sessions/diagnostics';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import type { AccessControl } from '../../access/create-access.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
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
/** Characters of a secret that nobody writes by chance. */
const TOLD_BY = 8;
const STUMBLED = 'the gateway made a mistake, and logged it';
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
    // As when it is added: a right for what the gateway has labelled is none to what somebody labels so.
    refuseHiddenLabels(labels);
    access.require(actor, { type: 'verb', resource: draft.rule, verb: 'create', object: { kind, name, labels } });
    const agent = through && (await knownAgentId({ db, access, clusterName: cluster }, actor, through));
    await requireRate(actor);
    const id = `${DRAFT_PREFIX}${randomUUID()}`;
    const steps = createSteps();
    const hide = (text: string) => withoutSecrets(text, draft.secrets);
    const called = name || addr;
    const told = async (failed: string | undefined): Promise<ConnectionDiagnostic> => {
      const diagnostic: ConnectionDiagnostic = {
        id,
        success: failed === undefined,
        message: visibleText(hide(failed ?? `the way to the ${factsOf(kind).noun} '${called}' works`), MAX_WORDS),
        traces: steps.traces.map((trace) => cleanTrace(trace, hide)),
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
    const limits = { timeoutMs: STEP_MS, signal: AbortSignal.timeout(WHOLE_TEST_MS) };
    const test = { actor, cluster, agent: agent || undefined, who: { user: actor.username, session: id }, ...limits };
    const run = () =>
      draft.run(steps, test).then(
        () => undefined,
        async (error: unknown) => {
          if (error instanceof StepFailed) return error.message;
          // It has dialled as well: whoever finds what we stumble over must not look at ports that nobody hears of.
          if (steps.traces.length > 0) await told(error instanceof AppError ? error.message : STUMBLED);
          throw error;
        },
      );
    return await told(await places.run(run, actor.username));
  };
}

/** A target may repeat what it was shown, and its words may be cut anywhere: so much of the beginning is taken for the secret itself. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => withoutSecret(left, secret), text);
}

function withoutSecret(text: string, secret: string): string {
  const beginning = secret.slice(0, TOLD_BY);
  if (beginning === '') return text;
  const told: string[] = [];
  let read = 0;
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, read)) {
    let length = beginning.length;
    while (length < secret.length && text[at + length] === secret[length]) length += 1;
    told.push(text.slice(read, at), '***');
    read = at + length;
  }
  return [...told, text.slice(read)].join('');
}

/** A secret of several lines is looked for before they are told apart, and before anything is cut. */
function cleanTrace(trace: Trace, hide: (text: string) => string): Trace {
  const { details, error, gatehouse } = trace;
  const line = (text: string) => visibleText(text, MAX_WORDS);
  const lines = (text: string) => hide(text).slice(0, MAX_NEXT).split('\n').map(line).join('\n');
  return {
    ...trace,
    ...(details === undefined ? {} : { details: lines(details) }),
    ...(error === undefined ? {} : { error: line(hide(error)) }),
    ...(gatehouse?.next === undefined ? {} : { gatehouse: { ...gatehouse, next: lines(gatehouse.next) } }),
  };
}
