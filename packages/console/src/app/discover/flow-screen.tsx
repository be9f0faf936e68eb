/** One flow: its line of steps, the step that the address names, and what leads from one to the next. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { lazy, useEffect, useMemo } from 'react';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import { loadWords, useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import type { DiscoverPlace } from '../../shared/enrolment/discover-place.ts';
import type { FlowCard, FlowCode, KindFlows } from '../../shared/enrolment/flow.ts';
import { FlowProvider } from '../../shared/enrolment/flow-place.tsx';
import { beginFlow, useKeptFlow } from '../../shared/enrolment/kept-flows.ts';
import { DescribeStep } from './describe-step.tsx';
import { tellStarted } from './discover-events.ts';
import { DoneStep } from './done-step.tsx';
import { FlowHead } from './flow-head.tsx';
import styles from './flow-screen.module.css';
import { PrincipalsStep } from './principals-step.tsx';
import { RunStep } from './run-step.tsx';
import { TestStep } from './test-step.tsx';
import { useFlowSteps } from './use-flow-steps.ts';
import { useLeaving } from './use-leaving.ts';
import { WhereStep } from './where-step.tsx';

interface FoundCard {
  kind: Kind;
  card: FlowCard;
  flows: KindFlows;
}

interface FlowScreenProps {
  place: DiscoverPlace;
  found: FoundCard;
}

/** Each kind's own parts come by themselves, with their words. */
const codes = new Map<KindFlows, ReturnType<typeof lazyFlow>>();

function lazyFlow(flows: KindFlows) {
  return lazy(async () => {
    const [code] = await Promise.all([fetchCode(flows.load), loadWords(flows.words)]);
    return { default: (props: FlowScreenProps) => <LoadedFlow {...props} code={code} /> };
  });
}

export function FlowScreen(props: FlowScreenProps) {
  const { place, found } = props;
  const { flows, card } = found;
  const { userName } = useOwnUser();
  const { flow } = useKeptFlow(userName, card.id);
  // What was brought to its end is no beginning of the next one.
  const isOver = flow?.step === 'done' && place.id === undefined;
  const isBegun = flow !== undefined && !isOver;
  // A link, a second tab: nothing was typed here yet.
  useEffect(() => {
    if (isBegun) return;
    const run = beginFlow(userName, card.id, 'where', card.first ?? {});
    tellStarted({ run, resource: card.resource });
  }, [isBegun, userName, card]);
  if (!codes.has(flows)) codes.set(flows, lazyFlow(flows));
  const Loaded = codes.get(flows);
  return isBegun && Loaded ? <Loaded {...props} /> : null;
}

const STEP_VIEWS = {
  where: WhereStep,
  describe: DescribeStep,
  run: RunStep,
  principals: PrincipalsStep,
  test: TestStep,
  done: DoneStep,
} as const;

function LoadedFlow({ place, found, code }: FlowScreenProps & { code: FlowCode }) {
  const t = useTranslate();
  const { flowPlace, steps, direction } = useFlowSteps(place, found, code);
  const leaving = useLeaving(flowPlace);
  const { step } = flowPlace;
  const View = STEP_VIEWS[step];
  const names = useMemo(
    () =>
      steps.map((each) => ({ step: each, word: t(each === 'principals' ? code.principals : `discover.step-${each}`) })),
    [t, steps, code],
  );
  return (
    <FlowProvider value={flowPlace}>
      <div className={styles.screen}>
        <FlowHead steps={names} />
        <div key={step} className={styles.step} data-step={step} data-direction={direction}>
          <View code={code} />
        </div>
      </div>
      {leaving.asks && (
        <ConfirmDialog
          open
          onOpenChange={leaving.stay}
          title={t('discover.leave-title')}
          confirmWord={t('discover.leave')}
          cancelWord={t('discover.stay')}
          onConfirm={leaving.leave}
        >
          {t('discover.leave-text')}
        </ConfirmDialog>
      )}
    </FlowProvider>
  );
}
