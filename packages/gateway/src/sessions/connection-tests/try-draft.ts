/** Tries the way to something that is about to be added. Whoever may not add it dials nothing by it, and nobody can look through a network with it. */
import { randomUUID } from 'node:crypto';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { connectionTried } from '@gatehouse/contract/kinds/node/server-events';
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import type { AccessControl } from '../../access/create-access.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Semaphore } from '../../platform/std/semaphore.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { knownAgentId } from '../../reach/agents/registry/known-agent.ts';
import { cleanDiagnostic } from './clean-diagnostic.ts';
import { countDiagnostics, dropDiagnostic, finishDiagnostic, insertDiagnostic } from './diagnostic-store.ts';
import type { ReadDraft } from './draft-test.ts';
import { createSteps, StepFailed } from './take-steps.ts';

const HOUR_MS = 3_600_000;
const MAX_PER_HOUR = 60;
const STEP_MS = 10_000;
const WHOLE_TEST_MS = 90_000;
const UNFINISHED = 'it was not finished: the gateway was stopped meanwhile';
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
  /** Counted before anything is dialled, in the store: tests at once and tests of other gateways see each other. */
  async function takeOne({ username: user }: Actor, id: string): Promise<void> {
    const unfinished = { id, success: false, message: UNFINISHED };
    await db.transaction().execute((tx) => insertDiagnostic(tx, { user, now: now(), diagnostic: unfinished }));
    if ((await countDiagnostics(db, { user, prefix: DRAFT_PREFIX, after: now() - HOUR_MS })) <= MAX_PER_HOUR) return;
    await dropDiagnostic(db, id);
    throw new AppError(
      'too_many',
      `you have tested ${MAX_PER_HOUR} things within an hour before they were added: wait, or add it and test it then`,
    );
  }

  return async ({ actor, cluster, kind, read, spec, through, address }) => {
    const draft = read(spec);
    const { name, labels, addr, login = '' } = draft;
    // As when it is added: a right for what the gateway has labelled is none to what somebody labels so.
    refuseHiddenLabels(labels);
    access.require(actor, { type: 'verb', resource: draft.rule, verb: 'create', object: { kind, name, labels } });
    const agent = through && (await knownAgentId({ db, access, clusterName: cluster }, actor, through));
    const id = `${DRAFT_PREFIX}${randomUUID()}`;
    const steps = createSteps();
    const called = name || addr;
    const told = async (failed: string | undefined): Promise<ConnectionDiagnostic> => {
      const message = failed ?? `the way to the ${factsOf(kind).noun} '${called}' works`;
      const said = { id, success: failed === undefined, message, traces: steps.traces };
      const diagnostic = cleanDiagnostic(said, draft.secrets);
      await db.transaction().execute(async (tx) => {
        await finishDiagnostic(tx, diagnostic);
        const fields = {
          ...{ user: actor.username, name: called, server_id: '', server_addr: addr, kind, draft: true },
          ...(login === '' ? {} : { login }),
          ...{ resource_kind: kind, resource_name: called, success: diagnostic.success, message: diagnostic.message },
        };
        await audit.emit(tx, connectionTried, fields, { signInId: actor.signInId, sessionId: id, address });
      });
      return diagnostic;
    };
    const limits = { timeoutMs: STEP_MS, signal: AbortSignal.timeout(WHOLE_TEST_MS) };
    const test = { actor, cluster, agent: agent || undefined, who: { user: actor.username, session: id }, ...limits };
    const run = async (): Promise<string | undefined> => {
      await takeOne(actor, id);
      try {
        await draft.run(steps, test);
        return undefined;
      } catch (error) {
        if (error instanceof StepFailed) return error.message;
        // It has dialled as well: whoever finds what we stumble over must not look at ports that nobody hears of.
        if (steps.traces.length > 0) await told(error instanceof AppError ? error.message : STUMBLED);
        throw error;
      }
    };
    return await told(await places.run(run, actor.username));
  };
}
