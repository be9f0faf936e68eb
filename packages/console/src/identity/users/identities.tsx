/** Who a user is to sign-in providers, whether each still says so, and links that administrators make and undo. */

import { type IdentityItem, identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { Spinner } from '@gatehouse/design/spinner';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { asSentence, formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useIdentitiesOf } from '../../shared/access-questions/access-queries.ts';
import { AskDialog } from '../../shared/access-questions/ask-dialog.tsx';
import { useProof } from '../../shared/credentials/use-proof.tsx';
import { LinkIdentityDialog } from './link-identity-dialog.tsx';
import styles from './users.module.css';

export function Identities({ user }: { user: string }) {
  const t = useTranslate();
  const { edit: mayEdit } = useUser().userAcl.users;
  const identities = useIdentitiesOf(user);
  const [doing, setDoing] = useState<'link' | IdentityItem>();
  const close = () => setDoing(undefined);
  return (
    <section className={styles.stack} aria-label={t('users.identities')}>
      <h3 className={styles.sectionTitle}>{t('users.identities')}</h3>
      {identities.isPending && <Spinner />}
      {identities.isError && <p className={styles.lead}>{failureWords(t, identities.error)}</p>}
      {identities.data?.length === 0 && <p className={styles.lead}>{t('users.no-identities')}</p>}
      {identities.data && identities.data.length > 0 && (
        <ul className={styles.signIns}>
          {identities.data.map((identity) => (
            <IdentityLine
              key={identity.connector}
              identity={identity}
              onUnlink={mayEdit ? () => setDoing(identity) : undefined}
            />
          ))}
        </ul>
      )}
      {mayEdit && (
        <div className={styles.buttons}>
          <Button onClick={() => setDoing('link')}>{t('users.link')}</Button>
        </div>
      )}
      {doing === 'link' && <LinkIdentityDialog user={user} onClose={close} />}
      {doing !== undefined && doing !== 'link' && <UnlinkDialog user={user} identity={doing} onClose={close} />}
    </section>
  );
}

function IdentityLine({ identity, onUnlink }: { identity: IdentityItem; onUnlink: (() => void) | undefined }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { connector, kind, name, subject, confirmed, nextRecheck, trouble, isDoubted } = identity;
  const when = (time: string) => formatRelative(Date.parse(time), now());
  return (
    <li className={styles.signIn}>
      <Icon of={providerIcon({ name: connector, type: kind })} />
      <span className={styles.identity}>
        <span>{t('users.identity', { connector, name: name || subject })}</span>
        <small title={subject}>
          {confirmed ? (
            <span title={formatDateTime(confirmed)}>{t('users.confirmed', { when: when(confirmed) })}</span>
          ) : (
            t('users.not-confirmed')
          )}
          {nextRecheck && (
            <span
              title={formatDateTime(nextRecheck)}
            >{` · ${t('users.next-recheck', { when: when(nextRecheck) })}`}</span>
          )}
        </small>
        {isDoubted && <small className={styles.warn}>{t('users.doubted')}</small>}
        {trouble && <small className={styles.warn}>{asSentence(trouble)}</small>}
      </span>
      {onUnlink && (
        <Button size="small" aria-label={t('users.unlink-one', { connector })} onClick={onUnlink}>
          {t('users.unlink')}
        </Button>
      )}
    </li>
  );
}

interface UnlinkDialogProps {
  user: string;
  identity: IdentityItem;
  onClose: () => void;
}

function UnlinkDialog({ user, identity: { connector }, onClose }: UnlinkDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const title = t('users.unlink-title', { user, connector });
  const { withProof, question } = useProof({ title, confirmWord: t('users.unlink') });
  return (
    <>
      <AskDialog
        title={title}
        confirmWord={t('users.unlink')}
        run={() => withProof(() => api(identityRoutes.unlink, { params: { username: user, connector } }))}
        done={t('users.unlinked', { user, connector })}
        onClose={onClose}
      >
        {t('users.unlink-text', { user, connector })}
      </AskDialog>
      {question}
    </>
  );
}
