/** An object made from a text: tried at the cluster first, which stores nothing, then made. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import FlaskConical from 'lucide-react/icons/flask-conical';
import { useMemo, useState } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { ObjectAt } from '../address.ts';
import styles from '../browse.module.css';
import { useBrowse } from '../browse.ts';
import { kindSlug } from '../kinds.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import { readObject } from '../read-object.ts';
import { useKinds } from '../use-kinds.ts';
import { readEdited } from './edit-object.ts';
import { readNewObject } from './new-object.ts';
import { NO_PROBLEMS, ObjectText, TriedWarnings } from './object-text.tsx';
import { useAskAttempt } from './use-ask-attempt.ts';

interface CreateDialogProps {
  /** For what says none; empty where several are looked at. */
  namespace: string;
  onClose: () => void;
  onMade: (at: ObjectAt) => void;
}

export function CreateDialog({ namespace, onClose, onMade }: CreateDialogProps) {
  const t = useTranslate();
  const browse = useBrowse();
  const toast = useToast();
  const { found } = useKinds(true);
  const [text, setText] = useState('');
  const [tried, setTried] = useState<{ text: string; warnings: readonly string[] }>();
  const attempt = useAskAttempt<'try' | 'make'>();
  const { busy, failure } = attempt;
  const read = useMemo(() => readEdited(text, t('kube-browse.not-fields')), [text, t]);
  const isEmpty = text.trim() === '';
  const problems = useMemo(() => ('problem' in read && !isEmpty ? [read.problem] : NO_PROBLEMS), [read, isEmpty]);
  const made = 'value' in read ? readNewObject(read.value, { namespace, found }) : undefined;
  const isTried = tried !== undefined && tried.text === text;

  const send = async (dryRun: boolean) => {
    if (typeof made !== 'object') return;
    const { collection, body, kind } = made;
    await attempt.run(dryRun ? 'try' : 'make', async () => {
      const answer = await browse.ask({ type: 'create', ...collection, body, dryRun }, 'written');
      if (dryRun) {
        setTried({ text, warnings: answer.warnings });
        return;
      }
      const name = readObject(parseJson(answer.json))?.facts.metadata.name || made.name;
      toast.show({ tone: 'ok', title: t('kube-browse.made', { name }) });
      onMade({ slug: kindSlug(kind), namespace: collection.namespace, name });
    });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      // A click beside it must not lose what was written.
      dismissable={isEmpty}
      size="large"
      title={t('kube-browse.create-title')}
      footer={
        <>
          <Button onClick={onClose}>{t('kube-browse.cancel')}</Button>
          <Button
            tone={isTried ? 'secondary' : 'primary'}
            icon={FlaskConical}
            loading={busy === 'try'}
            disabled={typeof made !== 'object'}
            disabledReason={t(typeof made === 'string' ? `kube-browse.${made}` : 'kube-browse.mend-first')}
            onClick={() => void send(true)}
          >
            {t('kube-browse.dry-run')}
          </Button>
          {isTried && (
            <Button tone="primary" loading={busy === 'make'} onClick={() => void send(false)}>
              {t('kube-browse.create')}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.stack}>
        <p className={styles.muted}>{t(isTried ? 'kube-browse.tried' : 'kube-browse.create-lead')}</p>
        <ObjectText
          label={t('kube-browse.create-title')}
          className={styles.newText}
          value={text}
          saved={undefined}
          problems={problems}
          readOnly={false}
          onValueChange={setText}
        />
        {typeof made === 'string' && !isEmpty && <Notice tone="warn">{t(`kube-browse.${made}`)}</Notice>}
        {failure && (
          <Notice tone="bad" title={t('kube-browse.refused-new')}>
            <FailureWords failure={failure} />
          </Notice>
        )}
        {isTried && <TriedWarnings warnings={tried.warnings} />}
      </div>
    </Dialog>
  );
}
