/** Tries each hop to a Kubernetes cluster that is not stored, and tells what came of it. */
import { KUBE_CHECK_STEPS, type KubeCheckStep } from '@gatehouse/contract/kinds/kube/kubernetes';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach } from '../../reach/reach.ts';
import { type Hop, type KubeTry, type TriedKube, tryKube } from './try-kube.ts';

const WITHIN_MS = 10_000;
const WHOLE_CHECK_MS = 30_000;

type Step = (typeof KUBE_CHECK_STEPS)[number];
type StepOutcome = Pick<KubeCheckStep, 'status' | 'message' | 'next'>;

export interface CheckedKube extends Omit<TriedKube, 'signal' | 'timeoutMs' | 'credential'> {
  /** Undefined: nobody asks the cluster anything. */
  credential: TriedKube['credential'] | undefined;
  /** That the gateway is to act in. */
  groups: readonly string[];
}

export async function checkKube(
  reach: Pick<Reach, 'way'>,
  { groups, credential, ...checked }: CheckedKube,
): Promise<KubeCheckStep[]> {
  const nothing = () => Promise.reject(new AppError('bad_request', 'no credential was given'));
  const limits = { signal: AbortSignal.timeout(WHOLE_CHECK_MS), timeoutMs: WITHIN_MS };
  const tried = tryKube(reach, { ...checked, ...limits, credential: credential ?? nothing });
  const steps: KubeCheckStep[] = [];
  try {
    for (const step of KUBE_CHECK_STEPS) {
      const began = performance.now();
      const why = whyNot(step, steps, credential !== undefined);
      const told = why === undefined ? await take(() => hop(tried, step, groups)) : skipped(why);
      const ms = told.status === 'skipped' ? 0 : Math.round((performance.now() - began) * 10) / 10;
      steps.push({ step, ...told, ms });
    }
    return steps;
  } finally {
    tried.close();
  }
}

function hop(tried: KubeTry, step: Step, groups: readonly string[]): Promise<Hop> {
  return step === 'impersonate' ? tried.impersonate({ user: '', groups }) : tried[step]();
}

function whyNot(step: Step, before: readonly KubeCheckStep[], hasCredential: boolean): string | undefined {
  if (before.some(({ status }) => status === 'failed')) return 'not tried: the step before failed';
  const asks = step === 'version' || step === 'impersonate';
  return asks && !hasCredential ? 'not tried: there is nothing to show it' : undefined;
}

async function take(run: () => Promise<Hop>): Promise<StepOutcome> {
  try {
    const { message, next = '' } = await run();
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
