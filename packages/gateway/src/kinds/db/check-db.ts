/** Tries each hop to a database that is not stored, and tells what came of it. */
import { DB_CHECK_STEPS, type DbCheckStep } from '@gatehouse/contract/kinds/db/databases';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach } from '../../reach/reach.ts';
import { type DbTry, type TriedDb, tryDb } from './try-db.ts';

const WITHIN_MS = 10_000;
const WHOLE_CHECK_MS = 30_000;

type Step = (typeof DB_CHECK_STEPS)[number];
type StepOutcome = Pick<DbCheckStep, 'status' | 'message' | 'next'>;

export async function checkDb(
  reach: Pick<Reach, 'way'>,
  checked: Omit<TriedDb, 'signal' | 'timeoutMs' | 'setPassword'>,
): Promise<DbCheckStep[]> {
  const signal = AbortSignal.timeout(WHOLE_CHECK_MS);
  const tried = tryDb(reach, { ...checked, signal, timeoutMs: WITHIN_MS, setPassword: '' });
  const steps: DbCheckStep[] = [];
  try {
    for (const step of DB_CHECK_STEPS) {
      const began = performance.now();
      const why = whyNot(step, steps, checked.dbUser);
      const told = why === undefined ? await take(tried, step) : skipped(why);
      const ms = told.status === 'skipped' ? 0 : Math.round((performance.now() - began) * 10) / 10;
      steps.push({ step, ...told, ms });
    }
    return steps;
  } finally {
    tried.close();
  }
}

function whyNot(step: Step, before: readonly DbCheckStep[], dbUser: string): string | undefined {
  if (before.some(({ status }) => status === 'failed')) return 'not tried: the step before failed';
  const signsIn = step === 'login' || step === 'database';
  return signsIn && dbUser === '' ? 'not tried: nobody is named to sign in as' : undefined;
}

async function take(tried: DbTry, step: Step): Promise<StepOutcome> {
  try {
    const hop = await tried[step]();
    if (!hop) return skipped('nothing is encrypted: everybody in between can read and change what passes');
    const { message, next = '' } = hop;
    return { status: next === '' ? 'ok' : 'warning', message, next };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const next = typeof error.fields?.next === 'string' ? error.fields.next : '';
    return { status: 'failed', message: error.message, next };
  }
}

function skipped(message: string): StepOutcome {
  return { status: 'skipped', message, next: '' };
}
