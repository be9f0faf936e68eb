/** The last look before a role is saved: what changes in the text, and for whom. */
import { type RoleItem, roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useRefreshAccess } from '../../shared/access-questions/access-queries.ts';
import { EffectsSummary } from '../../shared/access-questions/effects-panel.tsx';
import type { Effects } from '../../shared/access-questions/use-what-if.ts';
import { DiffView } from '../../shared/document-editor/diff-view.tsx';
import type { Draft } from '../../shared/document-editor/use-draft.ts';
import { useSaving } from '../../shared/document-editor/use-saving.tsx';
import styles from './review-dialog.module.css';

interface ReviewDialogProps {
  /** Of the role that is changed; nothing for a new one. */
  name: string | undefined;
  draft: Draft;
  effects: Effects | undefined;
  onClose: () => void;
  /** Somebody was quicker. */
  onConflict: () => void;
  onSaved: (role: RoleItem) => void;
}

export function ReviewDialog({ name, draft, effects, onClose, onConflict, onSaved }: ReviewDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const title = name === undefined ? t('roles.create-title') : t('roles.review-title', { role: name });
  const { save, isBusy, failure, question } = useSaving<RoleItem>({
    proof: { title, confirmWord: t('access.save') },
    send: () => {
      const content = draft.text;
      if (name === undefined) return api(roleRoutes.create, { body: { content } });
      const revision = draft.base?.revision;
      return api(roleRoutes.update, { params: { name }, body: { content, ...(revision ? { revision } : {}) } });
    },
    refresh: useRefreshAccess(),
    words: (saved) => t('roles.saved', { role: saved.name }),
    ...{ onSaved, onConflict },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!isBusy}
      size="large"
      title={title}
      footer={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            {t('access.cancel')}
          </Button>
          <Button tone="primary" data-autofocus="" loading={isBusy} onClick={() => void save()}>
            {t('access.save')}
          </Button>
        </>
      }
    >
      <div className={styles.review}>
        {failure && (
          <Notice tone="bad" className={styles.failure}>
            {failure}
          </Notice>
        )}
        <DiffView label={t('document.diff')} before={draft.base?.content ?? ''} after={draft.text} />
        {effects && name !== undefined && (
          <>
            <h3 className={styles.title}>{t('roles.effects')}</h3>
            <EffectsSummary effects={effects} />
          </>
        )}
        {question}
      </div>
    </Dialog>
  );
}
