/** Adds a container with tools to a pod that runs, for one whose own have no shell, and leads into it once it runs. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useEffect, useId, useState } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from '../browse.module.css';
import { useBrowse } from '../browse.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import type { KubeObject } from '../read-object.ts';
import { debugName, debugPatch } from './debug-name.ts';
import { useAskAttempt } from './use-ask-attempt.ts';

interface DebugDialogProps {
  target: KubeRef;
  /** As it is now: it tells when the container runs. */
  object: KubeObject;
  onClose: () => void;
  onRuns: (container: string) => void;
}

const USUAL_IMAGE = 'busybox:1.36';

export function DebugDialog({ target, object, onClose, onRuns }: DebugDialogProps) {
  const t = useTranslate();
  const browse = useBrowse();
  const formId = useId();
  const { spec, status } = object.facts;
  const [image, setImage] = useState(USUAL_IMAGE);
  const [sees, setSees] = useState(spec.containers[0]?.name ?? '');
  const [added, setAdded] = useState<string>();
  const attempt = useAskAttempt<'add'>();
  const { busy, failure } = attempt;
  const state = status.ephemeralContainerStatuses.find(({ name }) => name === added)?.state;
  const isRunning = state?.running !== undefined;
  useEffect(() => {
    if (added !== undefined && isRunning) onRuns(added);
  }, [added, isRunning, onRuns]);

  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = { name: debugName(object), image: image.trim(), sees };
    if (wanted.image === '') return;
    await attempt.run('add', async () => {
      const body = debugPatch(object, wanted);
      await browse.ask(
        { type: 'patch', ...target, subresource: 'ephemeralcontainers', body, dryRun: false },
        'written',
      );
      setAdded(wanted.name);
    });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('kube-browse.debug-title', { name: target.name })}
      footer={
        <>
          <Button onClick={onClose}>{t(added === undefined ? 'kube-browse.cancel' : 'kube-browse.close')}</Button>
          {added === undefined && (
            <Button type="submit" form={formId} tone="primary" loading={busy !== undefined}>
              {t('kube-browse.debug-add')}
            </Button>
          )}
        </>
      }
    >
      <form id={formId} className={styles.stack} onSubmit={(event) => void add(event)} noValidate>
        <p className={styles.muted}>{t('kube-browse.debug-text')}</p>
        <TextField
          label={t('kube-browse.debug-image')}
          mono
          disabled={added !== undefined}
          value={image}
          onValueChange={setImage}
        />
        <Select
          label={t('kube-browse.debug-target')}
          disabled={added !== undefined}
          value={sees}
          onValueChange={setSees}
          options={[
            ...spec.containers.map(({ name }) => ({ value: name, label: name })),
            { value: '', label: t('kube-browse.debug-nobody') },
          ]}
        />
        {failure && (
          <Notice tone="bad">
            <FailureWords failure={failure} />
          </Notice>
        )}
        {added !== undefined && !isRunning && <HowItIs container={added} state={state} />}
      </form>
    </Dialog>
  );
}

type ContainerState = KubeObject['facts']['status']['containerStatuses'][number]['state'];

function HowItIs({ container, state }: { container: string; state: ContainerState | undefined }) {
  const t = useTranslate();
  const { terminated, waiting } = state ?? {};
  if (terminated)
    return <Notice tone="bad">{t('kube-browse.debug-ended', { container, why: terminated.reason || '–' })}</Notice>;
  const why = [waiting?.reason, waiting?.message].filter(Boolean).join(': ') || t('kube-browse.debug-starts');
  return <Notice tone="info">{t('kube-browse.debug-waits', { container, why })}</Notice>;
}
