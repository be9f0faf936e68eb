/** How far a test came, step by step, and what the step that failed said. */
import {
  CONNECTOR_STEPS,
  type ConnectorTest,
  type ConnectorTestStep,
} from '@gatehouse/contract/identity/connectors/connector-tests';
import { Icon } from '@gatehouse/design/icon';
import { SpinnerRing } from '@gatehouse/design/spinner';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './trial.module.css';

const LOOKS = {
  passed: { icon: CircleCheck, tone: 'ok' },
  failed: { icon: CircleX, tone: 'bad' },
  skipped: { icon: CircleDashed, tone: 'off' },
} as const;

export function TrialStrip({ said }: { said: ConnectorTest }) {
  const t = useTranslate();
  const failed = said.steps.find(({ status }) => status === 'failed');
  const running = CONNECTOR_STEPS[said.steps.length];
  return (
    <div className={styles.strip} role="status">
      <ol className={styles.stripSteps} aria-label={t('connectors.test-steps')}>
        {CONNECTOR_STEPS.map((step) => (
          <StepMark
            key={step}
            name={t(`connectors.test-${step}`)}
            told={said.steps.find((each) => each.step === step)}
            isRunning={said.state === 'waiting' && step === running}
          />
        ))}
      </ol>
      {said.state === 'waiting' && <p className={styles.muted}>{t('connectors.test-waiting')}</p>}
      {said.state === 'passed' && <p className={styles.muted}>{t('connectors.test-passed', { user: said.user })}</p>}
      {failed && (
        <p className={styles.failed}>
          <b>{t(`connectors.test-${failed.step}`)}</b> {asSentence(failed.message)}
        </p>
      )}
    </div>
  );
}

interface StepMarkProps {
  name: string;
  told: ConnectorTestStep | undefined;
  isRunning: boolean;
}

function StepMark({ name, told, isRunning }: StepMarkProps) {
  const t = useTranslate();
  const { icon, tone } = LOOKS[told?.status ?? 'skipped'];
  return (
    <li className={styles.stripStep} data-tone={tone} title={told?.message ? asSentence(told.message) : undefined}>
      {isRunning ? (
        <SpinnerRing size="small" />
      ) : (
        <Icon of={icon} label={t(`connectors.test-is-${told?.status ?? 'skipped'}`)} />
      )}
      {name}
    </li>
  );
}
