/** A link that was just made: to be copied before anything else, when it ends, how to hand it over, and whether others can open it at all. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { isLoopbackUrl } from '@gatehouse/contract/std/loopback-host';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { asSentence, formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PublicAddress } from '../../shared/enrolment/public-address.tsx';
import styles from './users.module.css';

export interface Link {
  user: string;
  link: string;
  expires: string;
  kind: 'invite' | 'reset';
  /** What of the user gives nothing, as the gateway tells it. */
  notes?: readonly string[] | undefined;
}

interface MadeLinkDialogProps extends Link {
  title: string;
  onClose: () => void;
}

export function MadeLinkDialog({ title, onClose, ...made }: MadeLinkDialogProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  const [wasCopied, setCopied] = useState(false);
  const copyLink = async () => {
    await copy(made.link);
    setCopied(true);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      // Closing by a stray click would lose the link for ever.
      dismissable={false}
      title={title}
      footer={
        <>
          <Button tone={wasCopied ? 'primary' : 'secondary'} size="large" onClick={onClose}>
            {t('users.link-done')}
          </Button>
          <Button
            tone={wasCopied ? 'secondary' : 'primary'}
            size="large"
            icon={state === 'copied' ? Check : Copy}
            data-autofocus=""
            onClick={() => void copyLink()}
          >
            {t(state === 'copied' ? 'users.link-copied' : 'users.link-copy')}
          </Button>
        </>
      }
    >
      <MadeLink {...made} />
    </Dialog>
  );
}

export function LocalLinkWarning({ link, user }: { link: string; user: string }) {
  const t = useTranslate();
  if (!isLoopbackUrl(link)) return null;
  return <PublicAddress warning={t('users.link-local', { host: new URL(link).host, user })} />;
}

function MadeLink({ user, link, expires, kind, notes = [] }: Link) {
  const t = useTranslate();
  const { now } = useBrowser();
  return (
    <div className={styles.stack}>
      <Notice tone="warn" announce="none">
        {t('users.link-once')}
      </Notice>
      <LocalLinkWarning link={link} user={user} />
      <CopyField label={t(kind === 'invite' ? 'users.invite-link' : 'users.reset-link', { user })} value={link} />
      <p className={styles.lead}>
        {t('users.link-expires', {
          when: formatRelative(Date.parse(expires), now()),
          time: formatDateTime(expires),
        })}{' '}
        {t('users.link-by-hand', { user })}
      </p>
      {notes.map((note) => (
        <Notice key={note} tone="warn" announce="none">
          {asSentence(note)}
        </Notice>
      ))}
    </div>
  );
}
