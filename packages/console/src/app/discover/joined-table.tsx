/** Those who joined by a command for several, the newest first: as many as the gateway still tells of. */
import type { JoinProgress } from '@gatehouse/contract/reach/join-tokens/join-progress';
import { formatTimeOfDay } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './run-step.module.css';

export function JoinedTable({ heard }: { heard: readonly JoinProgress[] }) {
  const t = useTranslate();
  const rows = heard.flatMap(({ joined }) => joined).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  if (rows.length === 0) return null;
  return (
    <table className={styles.joined} aria-label={t('discover.joined-table')}>
      <thead>
        <tr>
          <th scope="col">{t('discover.joined-name')}</th>
          <th scope="col">{t('discover.joined-offers')}</th>
          <th scope="col">{t('discover.joined-at')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ agent, name, at, resources }) => (
          <tr key={agent}>
            <th scope="row">{name}</th>
            <td>{resources.map((each) => each.name).join(', ')}</td>
            <td>
              <time dateTime={at}>{formatTimeOfDay(Date.parse(at))}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
