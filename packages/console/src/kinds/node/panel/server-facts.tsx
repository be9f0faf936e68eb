/** What is known about a server, each to be copied where somebody would want to. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import styles from '../../../shared/resource-panel/resource-panel.module.css';
import { mayTypeLogin } from '../connect/logins.ts';
import { WhyLink } from '../connect/no-login.tsx';
import { Address } from '../server-columns.tsx';
import { LastUsed, ServerStatus, statusHint } from '../server-status.tsx';

export function ServerFacts({ node }: { node: Node }) {
  const t = useTranslate();
  const { gatehouse: more } = node;
  const system = [more?.os, more?.arch].filter(Boolean).join(', ');
  const details: (Detail | false)[] = [
    // Beside the panel the list has no room for these.
    {
      name: t('servers.status'),
      value: (
        <>
          <ServerStatus node={node} />
          <div className={styles.faint}>{statusHint(t, node)}</div>
        </>
      ),
    },
    { name: t('servers.last-used'), value: <LastUsed node={node} /> },
    { name: t('server-panel.id'), value: <CopyValue value={node.id} name={t('server-panel.id')} /> },
    {
      name: t('servers.address'),
      value: node.addr ? (
        <span className={styles.pair}>
          <CopyValue value={node.addr} name={t('servers.address')} />
          {node.tunnel && <span title={t('servers.through-hint')}>{t('servers.through-other')}</span>}
        </span>
      ) : (
        <Address node={node} />
      ),
    },
    more !== undefined && { name: t('server-panel.kind'), value: t(`server-panel.kind-${more.type}`) },
    system !== '' && { name: t('server-panel.system'), value: system },
    Boolean(more?.version) && { name: t('server-panel.version'), value: more?.version, mono: true },
    // Its own agent has the same id as the server itself.
    Boolean(more?.agent) &&
      more?.agent !== node.id && {
        name: t('server-panel.agent'),
        value: <CopyValue value={more?.agent ?? ''} name={t('server-panel.agent')} />,
      },
    { name: t('server-panel.logins'), value: <Logins node={node} /> },
  ];
  return <DetailsList details={details.filter((detail) => detail !== false)} />;
}

function Logins({ node }: { node: Node }) {
  const t = useTranslate();
  const named = node.sshLogins.filter((login) => login !== '*');
  if (node.sshLogins.length === 0) {
    return (
      <>
        {t('server-panel.logins-none')} <WhyLink node={node} />
      </>
    );
  }
  return (
    <>
      {named.map((login, index) => (
        <span key={login}>
          {index > 0 && ', '}
          <code>{login}</code>
        </span>
      ))}
      {mayTypeLogin(node) && t(named.length > 0 ? 'server-panel.logins-and-any' : 'server-panel.logins-any')}
    </>
  );
}
