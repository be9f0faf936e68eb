/** What is known about an application, each to be copied where somebody would want to. */
import { parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import type { AppDetails } from '@gatehouse/contract/kinds/app/apps';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import styles from '../../../shared/resource-panel/resource-panel.module.css';
import { AppBadges, shownAddress } from '../app-address.tsx';

export function AppFacts({ details }: { details: AppDetails }) {
  const t = useTranslate();
  const { app, through, rewrite } = details;
  const more = app.gatehouse;
  const isWeb = more === undefined || more.type === 'web';
  const facts: (Detail | false)[] = [
    {
      name: t('app-panel.host'),
      value: <CopyValue value={isWeb ? shownAddress(app) : app.publicAddr} name={t('app-panel.host')} />,
    },
    { name: t('app-panel.uri'), value: <CopyValue value={app.uri} name={t('app-panel.uri')} /> },
    isWeb && { name: t('app-panel.tls'), value: tlsWords(t, details) },
    more !== undefined && { name: t('app-panel.source'), value: t(`app-panel.source-${more.source}`) },
    more !== undefined && {
      name: t('app-panel.ways'),
      value: (
        <span className={styles.pair}>
          {more.ways === 0
            ? t('app-panel.ways-gateway')
            : t('app-panel.ways-agents', { count: more.ways, connected: more.connected })}
          <AppBadges app={app} />
        </span>
      ),
    },
    through.length > 0 && { name: t('app-panel.through'), value: through.join(', ') },
    rewrite.headers.length > 0 && {
      name: t('app-panel.headers'),
      value: (
        <ul>
          {rewrite.headers.map(({ name, value, kept }) => (
            <li key={`${name} ${value}`}>
              <code>
                {name}: {kept ? t('app-panel.header-kept') : value}
              </code>
            </li>
          ))}
        </ul>
      ),
    },
    isWeb && { name: t('app-panel.jwt'), value: t(`app-form.jwt-${rewrite.jwt}`) },
    more?.type === 'aws' && {
      name: t('app-panel.roles'),
      value: app.awsRoles?.map(({ arn }) => arn).join(', ') || t('app-panel.roles-none'),
    },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== false)} />;
}

function tlsWords(t: Translate, { uri, insecureSkipVerify, ca }: AppDetails): string {
  if (parseAppUri(uri)?.scheme !== 'https') return t('app-panel.tls-none');
  if (insecureSkipVerify) return t('app-panel.tls-insecure');
  return t(ca ? 'app-panel.tls-ca' : 'app-panel.tls-verified');
}
