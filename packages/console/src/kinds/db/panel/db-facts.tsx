/** What is known about a database, each to be copied where somebody would want to. */
import type { DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatNumber, formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import styles from '../../../shared/resource-panel/resource-panel.module.css';
import { ReadOnlyBadge, titleOf, WayBadges } from '../db-badges.tsx';

const MS = 1_000;

function Time({ at, now }: { at: string; now: number }) {
  return (
    <>
      {formatDateTime(at)} <span className={styles.faint}>{formatRelative(Date.parse(at), now)}</span>
    </>
  );
}

export function DbFacts({ details }: { details: DatabaseDetails }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { item, through, agents, limits, database, tls, learned, adminUser } = details;
  const more = item.gatehouse;
  const isByLabels = more?.source === 'entered' && through.length === 0;
  const named = (names: readonly string[] | undefined) =>
    names === undefined || names.length === 0
      ? t('db-panel.none')
      : names.map((name) => (name === '*' ? t('db-panel.any') : name)).join(', ');
  const facts: (Detail | false)[] = [
    {
      name: t('databases.type'),
      value: (
        <span className={styles.pair}>
          {titleOf(item)} <ReadOnlyBadge database={item} />
        </span>
      ),
    },
    { name: t('db-panel.uri'), value: <CopyValue value={details.uri} name={t('db-panel.uri')} /> },
    {
      name: t('db-panel.tls'),
      value: (
        <span className={styles.pair}>
          {t(tls.ca !== '' && tls.mode === 'verify-full' ? 'db-panel.tls-ca' : `db-panel.tls-${tls.mode}`)}
          <WayBadges database={item} />
        </span>
      ),
    },
    tls.serverName !== '' && { name: t('db-panel.server-name'), value: tls.serverName },
    more !== undefined && { name: t('db-panel.sign-in'), value: t(`db-panel.sign-in-${more.signIn}`) },
    learned !== undefined &&
      learned.certificateEnds !== '' && {
        name: t('db-panel.certificate-ends'),
        value: <Time at={learned.certificateEnds} now={now()} />,
      },
    learned !== undefined &&
      learned.version !== '' && { name: t('db-panel.version'), value: <code>{learned.version}</code> },
    {
      name: t('db-panel.reached'),
      value: learned?.reached ? (
        // What the gateway says of its own clock is not to come.
        <Time at={learned.reached} now={Math.max(now(), Date.parse(learned.reached))} />
      ) : (
        t('db-panel.reached-never')
      ),
    },
    database !== '' && { name: t('db-panel.database'), value: <code>{database}</code> },
    { name: t('db-panel.users'), value: named(item.database_users) },
    { name: t('db-panel.names'), value: named(item.database_names) },
    more !== undefined && { name: t('db-panel.source'), value: t(`db-panel.source-${more.source}`) },
    more !== undefined && {
      name: t('db-panel.ways'),
      value:
        more.ways === 0
          ? t('db-panel.ways-gateway')
          : t('db-panel.ways-agents', { count: more.ways, connected: more.connected }),
    },
    agents.length > 0 && {
      name: t('db-panel.through'),
      value: (
        <>
          {agents.map(({ name, connected }) => (connected ? name : t('db-panel.agent-away', { name }))).join(', ')}
          {isByLabels && <p>{t('db-panel.by-labels')}</p>}
        </>
      ),
    },
    adminUser.name !== '' && { name: t('db-panel.admin-user'), value: <code>{adminUser.name}</code> },
    limits.statementTimeoutMs > 0 && {
      name: t('db-panel.statement-timeout'),
      value: t('db-panel.seconds', { seconds: formatNumber(limits.statementTimeoutMs / MS) }),
    },
    limits.initSql.length > 0 && {
      name: t('db-panel.init-sql'),
      value: (
        <ul>
          {limits.initSql.map((line) => (
            <li key={line}>
              <code>{line}</code>
            </li>
          ))}
        </ul>
      ),
    },
    details.values === 'hidden' && { name: t('db-panel.values'), value: t('db-panel.values-hidden') },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== false)} />;
}
