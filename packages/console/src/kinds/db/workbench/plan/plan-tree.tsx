/** A plan as a tree: what takes most is red, where the estimate was far off is amber. */
import { Badge } from '@gatehouse/design/badge';
import { CodeBlock } from '@gatehouse/design/code-block';
import { formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Plan } from '../bench/work.ts';
import { formatMs } from '../session/status-line.tsx';
import styles from './plan.module.css';
import { readPlan, type Step } from './read-plan.ts';

/** From here on the estimate is called wrong. */
const FAR_OFF = 10;

export function PlanTree({ plan, isMeasured }: { plan: Plan; isMeasured: boolean }) {
  const t = useTranslate();
  const read = plan.format === 'json' ? readPlan(plan.text) : undefined;
  if (!read)
    return (
      <div className={styles.place}>
        <CodeBlock label={t('workbench.plan-text')} code={plan.text} />
      </div>
    );
  const { steps, planningMs, totalMs } = read;
  const weight = ({ ms, cost, depth }: Step, index: number) => ms ?? ownCost(steps, index, cost, depth);
  const weights = steps.map(weight);
  const most = Math.max(...weights, 0);
  const all = weights.reduce((sum, each) => sum + each, 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long plan must be scrollable by keyboard
    <section className={styles.place} tabIndex={0} aria-label={t('workbench.plan')}>
      <p className={styles.facts}>
        {t(isMeasured ? 'workbench.plan-measured' : 'workbench.plan-estimated')}
        {totalMs !== undefined && <b>{t('workbench.plan-total', { ms: formatMs(totalMs) })}</b>}
        {planningMs !== undefined && <span>{t('workbench.plan-planning', { ms: formatMs(planningMs) })}</span>}
      </p>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>{t('workbench.plan-step')}</th>
            <th>{t(isMeasured ? 'workbench.plan-time' : 'workbench.plan-cost')}</th>
            <th className={styles.end}>{t('workbench.plan-rows')}</th>
            <th className={styles.end}>{t('workbench.plan-planned')}</th>
            {isMeasured && <th className={styles.end}>{t('workbench.plan-loops')}</th>}
            {isMeasured && <th className={styles.end}>{t('workbench.plan-blocks')}</th>}
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => {
            const own = weights[index] ?? 0;
            const isMost = own === most && most > 0;
            const share = all === 0 ? 0 : own / all;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan never changes
              <tr key={index} data-most={isMost || undefined}>
                <td>
                  <div className={styles.step} style={{ paddingLeft: step.depth * 16 }}>
                    <code>{step.title}</code>
                    {step.detail !== '' && <code className={styles.detail}>{step.detail}</code>}
                  </div>
                </td>
                <td>
                  <span className={styles.time}>
                    <span className={styles.bar} aria-hidden="true">
                      <i style={{ width: `${Math.round(share * 100)}%` }} />
                    </span>
                    {step.ms === undefined ? formatMs(step.cost) : t('workbench.plan-ms', { ms: formatMs(step.ms) })}
                  </span>
                </td>
                <td className={styles.end}>{step.rows === undefined ? '' : formatNumber(step.rows)}</td>
                <td className={styles.end}>
                  <Planned step={step} />
                </td>
                {isMeasured && <td className={styles.end}>{step.loops}</td>}
                {isMeasured && (
                  <td className={styles.end}>{step.blocks === undefined ? '' : formatNumber(step.blocks)}</td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Planned({ step: { rows, plannedRows, loops } }: { step: Step }) {
  const planned = plannedRows * (loops ?? 1);
  const times = rows === undefined ? 1 : (Math.max(rows, planned) + 1) / (Math.min(rows, planned) + 1);
  const text = formatNumber(Math.round(planned));
  return times >= FAR_OFF ? <Badge tone="warn">{text}</Badge> : text;
}

/** Of a plan that was not run: what it costs beyond the steps below it. */
function ownCost(steps: readonly Step[], index: number, cost: number, depth: number): number {
  let below = 0;
  for (const step of steps.slice(index + 1)) {
    if (step.depth <= depth) break;
    if (step.depth === depth + 1) below += step.cost;
  }
  return Math.max(0, cost - below);
}
