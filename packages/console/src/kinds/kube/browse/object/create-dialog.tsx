/** An object made from a text: tried at the cluster first, which stores nothing, then made. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useToast } from '@gatehouse/design/toast';
import FlaskConical from 'lucide-react/icons/flask-conical';
import { lazy, Suspense, useMemo, useState } from 'react';
import { fetchCode } from '../../../../platform/code/fetch-code.ts';
import { asSentence } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { DocumentSchema } from '../../../../shared/document-editor/editor/document-schema.ts';
import type { ObjectAt } from '../address.ts';
import styles from '../browse.module.css';
import { AskFailed, useBrowse } from '../browse.ts';
import { kindSlug } from '../kinds.ts';
import type { Failed } from '../line/browse-line.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import { readObject } from '../read-object.ts';
import { useKinds } from '../use-kinds.ts';
import { readEdited } from './edit-object.ts';
import { readNewObject } from './new-object.ts';

const YamlEditor = lazy(() =>
  fetchCode(() => import('../../../../shared/document-editor/editor/yaml-editor.tsx')).then((file) => ({
    default: file.YamlEditor,
  })),
);
/** The cluster knows what may stand where, and says so when it is tried. */
const NO_SCHEMA: DocumentSchema = { fieldsAt: () => [], valuesAt: () => [] };
const NO_PROBLEMS: readonly [] = [];

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
  const [failure, setFailure] = useState<Failed>();
  const [busy, setBusy] = useState<'try' | 'make'>();
  const read = useMemo(() => readEdited(text, t('kube-browse.not-fields')), [text, t]);
  const isEmpty = text.trim() === '';
  const problems = useMemo(() => ('problem' in read && !isEmpty ? [read.problem] : NO_PROBLEMS), [read, isEmpty]);
  const made = 'value' in read ? readNewObject(read.value, { namespace, found }) : undefined;
  const isTried = tried !== undefined && tried.text === text;

  const send = async (dryRun: boolean) => {
    if (typeof made !== 'object') return;
    setBusy(dryRun ? 'try' : 'make');
    setFailure(undefined);
    try {
      const { collection, body, kind } = made;
      const answer = await browse.ask({ type: 'create', ...collection, body, dryRun }, 'written');
      if (dryRun) {
        setTried({ text, warnings: answer.warnings });
        return;
      }
      const name = readObject(parseJson(answer.json))?.facts.metadata.name || made.name;
      toast.show({ tone: 'ok', title: t('kube-browse.made', { name }) });
      onMade({ slug: kindSlug(kind), namespace: collection.namespace, name });
    } catch (error) {
      if (!(error instanceof AskFailed)) throw error;
      setFailure(error.failure);
    } finally {
      setBusy(undefined);
    }
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
        <Suspense fallback={<Spinner />}>
          <YamlEditor
            label={t('kube-browse.create-title')}
            schema={NO_SCHEMA}
            className={styles.newText}
            value={text}
            saved={undefined}
            problems={problems}
            readOnly={false}
            onValueChange={setText}
          />
        </Suspense>
        {typeof made === 'string' && !isEmpty && <Notice tone="warn">{t(`kube-browse.${made}`)}</Notice>}
        {failure && (
          <Notice tone="bad" title={t('kube-browse.refused-new')}>
            <FailureWords failure={failure} />
          </Notice>
        )}
        {isTried &&
          tried.warnings.map((warning) => (
            <Notice key={warning} tone="warn" title={t('kube-browse.warns')}>
              {asSentence(warning)}
            </Notice>
          ))}
      </div>
    </Dialog>
  );
}
