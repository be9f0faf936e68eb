/** What came of earlier tests of the same thing: somebody who mends something step by step sees how far it came before. */
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { Icon } from '@gatehouse/design/icon';
import { useQuery } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import { useApi } from '../../platform/browser/use-api.ts';
import { asSentence, formatTimeOfDay } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUserOf } from '../../platform/sign-in/user.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import styles from './earlier-tests.module.css';

/** The latest stands beside it in full. */
export function EarlierTests({ latest }: { latest: string | undefined }) {
  const t = useTranslate();
  const api = useApi();
  const { clusterId, kind, thing } = useFlow();
  const mayRead = useUserOf(clusterId).userAcl.connectionDiagnostic.read;
  const query = { resource_kind: kind, resource_name: thing?.id ?? '' };
  const asked = useQuery({
    queryKey: ['earlier-tests', clusterId, kind, thing?.id, latest],
    queryFn: ({ signal }) => api(diagnosticRoutes.earlier, { params: { clusterId }, query }, signal),
    enabled: mayRead && thing !== undefined,
    placeholderData: (before) => before,
    // Who comes back has tested since it was asked.
    staleTime: 0,
    refetchOnMount: 'always',
    retry: false,
  });
  const tests = asked.data?.items.filter(({ id }) => id !== latest) ?? [];
  return (
    <aside className={styles.aside} aria-label={t('discover.earlier')}>
      {tests.length > 0 && (
        <section>
          <h3>{t('discover.earlier')}</h3>
          <p>{t('discover.earlier-lead')}</p>
          <ul className={styles.tests}>
            {tests.map(({ id, at, success, message }) => (
              <li key={id}>
                <span className={success ? styles.ok : styles.bad}>
                  <Icon
                    of={success ? CircleCheck : CircleX}
                    size={14}
                    label={t(success ? 'connection-steps.worked' : 'connection-steps.failed')}
                  />
                </span>
                <span className={styles.said}>{success ? t('discover.earlier-worked') : asSentence(message)}</span>
                <time dateTime={at}>{formatTimeOfDay(Date.parse(at))}</time>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>{t('discover.left-behind')}</h3>
        <p>{t('discover.test-leaves-nothing')}</p>
      </section>
    </aside>
  );
}
