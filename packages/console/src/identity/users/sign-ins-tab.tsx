/** How a user signs in, and the browsers, command lines and tokens that are signed in as them now. */

import { type SignInItem, signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { DetailsList } from '@gatehouse/design/details-list';
import { Spinner } from '@gatehouse/design/spinner';
import { useToast } from '@gatehouse/design/toast';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useRefreshAccess, useSignInsOf } from '../../shared/access-questions/access-queries.ts';
import { Identities } from './identities.tsx';
import { factorWords, typeWords, type UserRow } from './user-facts.ts';
import styles from './users.module.css';

export function SignInsTab({ row, onEndAll }: { row: UserRow; onEndAll: () => void }) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const signIns = useSignInsOf(row.name);
  const items = signIns.data ?? [];
  return (
    <>
      <DetailsList
        details={[
          { name: t('users.type'), value: typeWords(t, row) },
          { name: t('users.factors'), value: factorWords(t, row) },
          {
            name: t('users.last-sign-in'),
            value: row.lastSignIn === undefined ? t('users.never') : formatDateTime(row.lastSignIn),
          },
        ]}
      />
      {userAcl.users.read && <Identities user={row.name} />}
      {userAcl.users.read && (
        <section className={styles.stack} aria-label={t('users.signed-in-now')}>
          <h3 className={styles.sectionTitle}>{t('users.signed-in-now')}</h3>
          {signIns.isPending && <Spinner />}
          {signIns.isError && <p className={styles.lead}>{failureWords(t, signIns.error)}</p>}
          {signIns.data && items.length === 0 && <p className={styles.lead}>{t('users.signed-in-nowhere')}</p>}
          {items.length > 0 && (
            <ul className={styles.signIns}>
              {items.map((item) => (
                <SignInLine key={item.id} user={row.name} item={item} />
              ))}
            </ul>
          )}
          {items.length > 0 && userAcl.users.edit && (
            <div className={styles.buttons}>
              <Button onClick={onEndAll}>{t('users.end-all')}</Button>
            </div>
          )}
        </section>
      )}
    </>
  );
}

function SignInLine({ user, item }: { user: string; item: SignInItem }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const { now } = useBrowser();
  const { userAcl } = useUser();
  const end = async () => {
    try {
      await api(signInsRoutes.endOfUser, { params: { username: user, id: item.id } });
    } catch (error) {
      toast.show({ tone: 'bad', title: t('common.failed-title'), text: failureWords(t, error) });
    }
    await refresh();
  };
  const device = item.device || t('users.device-unknown');
  return (
    <li className={styles.signIn}>
      <span>
        <span>{device}</span>
        <small title={formatDateTime(item.lastActive)}>
          {t('users.sign-in-line', {
            kind: t(`users.kind-${item.kind}`),
            address: item.address,
            when: formatRelative(Date.parse(item.lastActive), now()),
          })}
        </small>
      </span>
      {userAcl.users.edit && !item.current && (
        <Button size="small" aria-label={t('users.end-one', { device })} onClick={() => void end()}>
          {t('users.end')}
        </Button>
      )}
    </li>
  );
}
