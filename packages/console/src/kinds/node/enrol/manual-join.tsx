/** How a server joins without the script, for those who would rather do it themselves. */
import { CodeBlock } from '@gatehouse/design/code-block';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import type { JoinToken } from '../../../shared/enrolment/join-token.ts';
import styles from '../../../shared/enrolment/joining.module.css';

type JoinMethod = 'agent' | 'openssh';

export function ManualJoin({ token }: { token: JoinToken }) {
  const t = useTranslate();
  const way = useFlow().way.value as JoinMethod;
  return (
    <details className={styles.manual}>
      <summary>{t('add-server.manual')}</summary>
      <div className={styles.stack}>
        <p className={styles.lead}>{t(`add-server.manual-${way}`)}</p>
        <CodeBlock wrap label={t('add-server.manual')} code={manualCommand(way, token)} />
      </div>
    </details>
  );
}

/** What the script does at its end. */
function manualCommand(way: JoinMethod, { secret, labels }: JoinToken): string {
  if (way === 'agent') {
    const { origin } = window.location;
    // In the environment, because other users of the machine can read the arguments of a program.
    return `GATEHOUSE_AGENT_TOKEN=${secret} gatehouse agent --gateway ${origin} --data-dir /var/lib/gatehouse-agent`;
  }
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return `gatehouse nodes add NAME HOST:22${pairs.length > 0 ? ` --labels '${pairs.join(',').replaceAll("'", "'\\''")}'` : ''}`;
}
