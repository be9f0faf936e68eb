/** Files at an address of their own: the folder one is in lives in the address, so that a reload and a colleague see the same. */
import { whyNotPath } from '@gatehouse/contract/kinds/node/files/paths';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { PageHeader } from '@gatehouse/design/page-header';
import { useQuery } from '@tanstack/react-query';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { useCallback, useMemo } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PageLink, type SearchTexts, usePageParams, useSearch } from '../../../platform/routing/routing.tsx';
import { useFlags } from '../../../platform/sign-in/user.ts';
import styles from './files.module.css';
import { FilesPanel } from './files-panel.tsx';

const readPath = ({ path }: SearchTexts) => (path !== undefined && whyNotPath(path) === undefined ? path : undefined);

export function FilesScreen() {
  const t = useTranslate();
  const { clusterId, serverId, login } = usePageParams('files');
  const [path, setSearch] = useSearch(readPath);
  const at = useMemo(() => ({ clusterId, server: serverId, login }), [clusterId, serverId, login]);
  // The first folder belongs to the address one came by: Back leads out of here, not to the same folder again.
  const how = path === undefined ? 'replace' : 'push';
  const onPath = useCallback((next: string) => void setSearch({ path: next }, how), [setSearch, how]);
  const name = useServerName(clusterId, serverId);
  return (
    <div className={styles.screen}>
      <PageHeader
        title={t('files.title')}
        meta={<code>{`${login}@${name}`}</code>}
        actions={
          <PageLink page="consoleNode" params={{ clusterId, serverId, login }} className={styles.toTerminal}>
            <SquareTerminal size={16} aria-hidden="true" />
            {t('files.to-terminal')}
          </PageLink>
        }
      />
      <FilesPanel key={`${serverId} ${login}`} at={at} path={path} onPath={onPath} />
    </div>
  );
}

/** The address has the id alone. Whatever is wrong with the server, the files themselves say it. */
function useServerName(clusterId: string, id: string): string {
  const api = useApi();
  const { nodes } = useFlags();
  const found = useQuery({
    queryKey: ['files-server', clusterId, id],
    queryFn: ({ signal }) => api(nodeRoutes.get, { params: { clusterId, id } }, signal),
    enabled: nodes,
    retry: false,
  });
  return found.data?.hostname ?? id;
}
