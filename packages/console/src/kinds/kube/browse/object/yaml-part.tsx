/** The text of an object: read, changed, tried at the cluster, compared with what it would store, and applied. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { Switch } from '@gatehouse/design/switch';
import { useToast } from '@gatehouse/design/toast';
import Eye from 'lucide-react/icons/eye';
import FlaskConical from 'lucide-react/icons/flask-conical';
import Pencil from 'lucide-react/icons/pencil';
import { useMemo, useState } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { useLeaveGuard } from '../../../../platform/routing/leave-guard.ts';
import { DiffView } from '../../../../shared/document-editor/diff-view.tsx';
import { LeaveDialog } from '../../../../shared/document-editor/leave-dialog.tsx';
import { ToolLine } from '../../../../shared/resource-list/list-frame.tsx';
import styles from '../browse.module.css';
import { useBrowse } from '../browse.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import { type KubeObject, readObject } from '../read-object.ts';
import type { SeenObject } from '../use-object.ts';
import { objectYaml, patchOf, readEdited } from './edit-object.ts';
import { ObjectProblem } from './object-problem.tsx';
import { NO_PROBLEMS, ObjectText, TriedWarnings } from './object-text.tsx';
import { useAskAttempt } from './use-ask-attempt.ts';

const CONFLICT = 409;

interface YamlPartProps {
  target: KubeRef;
  seen: SeenObject;
  /** Only of a secret. */
  onReveal: () => void;
}

interface Editing {
  /** What was looked at when it began: what somebody else does meanwhile is a conflict. */
  from: KubeObject;
  text: string;
}

interface Tried {
  /** The text that was tried. */
  text: string;
  result: KubeObject;
  warnings: readonly string[];
}

export function YamlPart({ target, seen, onReveal }: YamlPartProps) {
  const t = useTranslate();
  const [editing, setEditing] = useState<Editing>();
  const [showsAll, setShowsAll] = useState(false);
  const { object, isHidden } = seen;
  const shown = useMemo(() => (object ? objectYaml(object.whole, showsAll) : ''), [object, showsAll]);
  if (editing)
    return (
      <EditPart
        target={target}
        editing={editing}
        isStale={object?.facts.metadata.resourceVersion !== editing.from.facts.metadata.resourceVersion}
        onText={(text) => setEditing({ ...editing, text })}
        onFresh={() => object && setEditing({ from: object, text: objectYaml(object.whole) })}
        onClose={() => setEditing(undefined)}
      />
    );
  return (
    <div className={styles.yaml}>
      <ToolLine>
        {isHidden ? (
          <Button icon={Eye} onClick={onReveal}>
            {t('kube-browse.reveal')}
          </Button>
        ) : (
          <Button
            icon={Pencil}
            disabled={!object || seen.isGone}
            disabledReason={t('kube-browse.not-yet')}
            onClick={() => object && setEditing({ from: object, text: objectYaml(object.whole) })}
          >
            {t('kube-browse.edit')}
          </Button>
        )}
        <Switch label={t('kube-browse.show-all')} checked={showsAll} onCheckedChange={setShowsAll} />
        {isHidden && <span className={styles.muted}>{t('kube-browse.hidden')}</span>}
      </ToolLine>
      <ObjectProblem seen={seen} name={target.name} />
      {object && (
        <ObjectText
          label={t('kube-browse.yaml-of', { name: target.name })}
          className={styles.editor}
          value={shown}
          saved={undefined}
          problems={NO_PROBLEMS}
          readOnly
          onValueChange={() => {}}
        />
      )}
    </div>
  );
}

interface EditPartProps {
  target: KubeRef;
  editing: Editing;
  /** It has changed at the cluster since. */
  isStale: boolean;
  onText: (text: string) => void;
  onFresh: () => void;
  onClose: () => void;
}

function EditPart({ target, editing, isStale, onText, onFresh, onClose }: EditPartProps) {
  const t = useTranslate();
  const browse = useBrowse();
  const toast = useToast();
  const [tried, setTried] = useState<Tried>();
  const attempt = useAskAttempt<'try' | 'apply'>();
  const { busy, failure } = attempt;
  const { from, text } = editing;
  const before = useMemo(() => objectYaml(from.whole), [from]);
  const read = useMemo(() => readEdited(text, t('kube-browse.not-fields')), [text, t]);
  const problems = useMemo(() => ('problem' in read ? [read.problem] : NO_PROBLEMS), [read]);
  const patch = 'value' in read ? patchOf(from.whole, read.value) : undefined;
  const guard = useLeaveGuard(patch !== undefined);
  const isTried = tried !== undefined && tried.text === text;

  const send = async (dryRun: boolean) => {
    if (!patch) return;
    await attempt.run(dryRun ? 'try' : 'apply', async () => {
      const body = JSON.stringify(patch);
      const answer = await browse.ask({ type: 'patch', ...target, subresource: '', body, dryRun }, 'written');
      const result = readObject(parseJson(answer.json));
      if (dryRun && result) setTried({ text, result, warnings: answer.warnings });
      if (!dryRun) {
        toast.show({ tone: 'ok', title: t('kube-browse.applied', { name: target.name }) });
        onClose();
      }
    });
  };
  const why = t('problem' in read ? 'kube-browse.mend-first' : 'kube-browse.no-change');
  return (
    <div className={styles.yaml}>
      <ToolLine>
        <Button onClick={onClose}>{t('kube-browse.discard')}</Button>
        <Button
          tone={isTried ? 'secondary' : 'primary'}
          icon={FlaskConical}
          loading={busy === 'try'}
          disabled={!patch}
          disabledReason={why}
          onClick={() => void send(true)}
        >
          {t('kube-browse.dry-run')}
        </Button>
        {isTried && (
          <Button tone="primary" loading={busy === 'apply'} onClick={() => void send(false)}>
            {t('kube-browse.apply')}
          </Button>
        )}
        <span className={styles.muted}>{t(isTried ? 'kube-browse.tried' : 'kube-browse.try-first')}</span>
      </ToolLine>
      {isStale && failure?.status !== CONFLICT && <Notice tone="warn">{t('kube-browse.stale')}</Notice>}
      {failure && (
        <Notice
          tone="bad"
          title={t(failure.status === CONFLICT ? 'kube-browse.conflict' : 'kube-browse.refused-change')}
          actions={
            failure.status === CONFLICT && (
              <Button size="small" onClick={onFresh}>
                {t('kube-browse.begin-anew')}
              </Button>
            )
          }
        >
          <FailureWords failure={failure} />
        </Notice>
      )}
      {isTried && <TriedWarnings warnings={tried.warnings} />}
      <div className={styles.columns}>
        <ObjectText
          label={t('kube-browse.yaml-of', { name: target.name })}
          className={styles.editor}
          value={text}
          saved={before}
          problems={problems}
          readOnly={false}
          onValueChange={onText}
        />
        <div className={styles.diff}>
          {isTried ? (
            <DiffView label={t('kube-browse.diff')} before={before} after={objectYaml(tried.result.whole)} isTall />
          ) : (
            <p className={styles.muted}>{t('kube-browse.diff-later')}</p>
          )}
        </div>
      </div>
      {guard.asks && <LeaveDialog onStay={guard.stay} onLeave={guard.leave} />}
    </div>
  );
}
