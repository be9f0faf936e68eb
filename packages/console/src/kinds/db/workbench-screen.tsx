/** The workbench of one database: chosen by the address, opened as the user the address names. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type SearchTexts, usePageParams, useSearch } from '../../platform/routing/routing.tsx';
import { useUser } from '../../platform/sign-in/user.ts';
import { RESOURCES } from '../../shared/resource-list/use-paged-rows.ts';
import { ChooseForm } from './connect/choose-form.tsx';
import { nameChoices } from './connect/db-choices.ts';
import { isSqlProtocol } from './sql-protocols.ts';
import styles from './workbench/workbench.module.css';
import { WorkbenchPage } from './workbench/workbench-page.tsx';

/** Fetched where somebody opens one. */
const KeysPage = lazyPart(() => import('./keys/keys-page.tsx').then((file) => file.KeysPage));

const DocumentsPage = lazyPart(() => import('./documents/documents-page.tsx').then((file) => file.DocumentsPage));

const chosenIn = ({ user = '', database = '' }: SearchTexts) => ({ dbUser: user, dbName: database });

export function WorkbenchScreen() {
  const t = useTranslate();
  const api = useApi();
  const { clusterId, name } = usePageParams('workbench');
  const { userName } = useUser();
  const [{ dbUser, dbName }, setSearch] = useSearch(chosenIn);
  const found = useQuery({
    queryKey: [RESOURCES, 'databases', clusterId, 'connect', name],
    queryFn: ({ signal }) => api(databaseRoutes.get, { params: { clusterId, name } }, signal),
  });
  const isOpen = found.data !== undefined && dbUser !== '';
  return (
    <div className={styles.screen}>
      <VisuallyHidden>
        <h1>{t('workbench.title', { name })}</h1>
      </VisuallyHidden>
      {!isOpen && (
        <div className={styles.before}>
          {found.error && <Notice tone="bad">{failureWords(t, found.error)}</Notice>}
          {found.isPending && <Spinner />}
          {found.data && (
            <ChooseForm
              database={found.data}
              onOpen={(choice) => void setSearch({ user: choice.dbUser, database: choice.dbName }, 'push')}
            />
          )}
        </div>
      )}
      {isOpen && isSqlProtocol(found.data.protocol) && (
        <WorkbenchPage
          // Another user is another session.
          key={`${clusterId} ${name} ${dbUser} ${dbName}`}
          protocol={found.data.protocol}
          about={{ clusterId, database: name, dbUser, dbName, userName }}
        />
      )}
      {isOpen && found.data.protocol === 'redis' && (
        <Suspense fallback={<Spinner />}>
          <KeysPage
            key={`${clusterId} ${name} ${dbUser} ${dbName}`}
            about={{ clusterId, database: name, dbUser, dbName, userName }}
            numbers={nameChoices(found.data)}
          />
        </Suspense>
      )}
      {isOpen && found.data.protocol === 'mongodb' && (
        <Suspense fallback={<Spinner />}>
          <DocumentsPage
            key={`${clusterId} ${name} ${dbUser} ${dbName}`}
            about={{ clusterId, database: name, dbUser, dbName, userName }}
          />
        </Suspense>
      )}
    </div>
  );
}
