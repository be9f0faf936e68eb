/** The steps of a connection that is tried, and what came of each: how far it came, why no further, and what to do. */
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Icon } from '@gatehouse/design/icon';
import { SpinnerRing } from '@gatehouse/design/spinner';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import styles from './connection-steps.module.css';

export type StepStatus = 'ok' | 'warning' | 'failed' | 'skipped';

export interface ConnectionStep {
  id: string;
  title: string;
  /** Undefined while it is being tried. */
  status: StepStatus | undefined;
  /** The status in a word, for who does not see the icon. */
  statusWord: string;
  /** How long it took. */
  time?: string | undefined;
  text?: string | undefined;
  /** What to do about it, after a word that says so. */
  next?: { word: string; text: string /** A document that is part of it. */; code?: string } | undefined;
  /** Takes what it showed into the form. */
  take?: { word: string; onTake: () => void } | undefined;
}

const LOOKS = {
  ok: { icon: CircleCheck, className: styles.ok },
  warning: { icon: CircleAlert, className: styles.warn },
  failed: { icon: CircleX, className: styles.bad },
  skipped: { icon: CircleDashed, className: styles.off },
} as const satisfies Record<StepStatus, unknown>;

/** Each is told this much after the one before, in the order they were tried. */
const STAGGER_MS = 140;

/** All of them from the start, so that one sees how far it came. */
export function ConnectionSteps({ steps }: { steps: readonly ConnectionStep[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <StepRow key={step.id} step={step} index={index} />
      ))}
    </ol>
  );
}

function StepRow({ step, index }: { step: ConnectionStep; index: number }) {
  const { title, status, statusWord, time, text, next, take } = step;
  const { icon, className } = LOOKS[status ?? 'skipped'];
  return (
    <li
      className={styles.step}
      data-told={status === undefined ? undefined : ''}
      style={{ animationDelay: `${index * STAGGER_MS}ms` }}
    >
      <span className={className}>
        {status === undefined ? <SpinnerRing size="small" /> : <Icon of={icon} label={statusWord} />}
      </span>
      <div>
        <div className={styles.head}>
          <b>{title}</b>
          {time !== undefined && <span className={styles.time}>{time}</span>}
        </div>
        {text !== undefined && <p className={styles.text}>{text}</p>}
        {next && (
          <div className={styles.next}>
            <p>
              <b>{next.word}</b> {next.text}
            </p>
            {next.code !== undefined && <CodeBlock label={next.text} code={next.code} />}
            {take && <Button onClick={take.onTake}>{take.word}</Button>}
          </div>
        )}
      </div>
    </li>
  );
}
