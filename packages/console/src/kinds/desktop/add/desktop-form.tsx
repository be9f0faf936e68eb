/** The form about a desktop: where it is, what it is known by, and who dials it; the same for a new one and one that is changed. */
import { desktopRoutes, type ShownCertificate } from '@gatehouse/contract/kinds/desktop/desktops';
import { Checkbox } from '@gatehouse/design/checkbox';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { Select } from '@gatehouse/design/select';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import type { Api } from '../../../platform/api/api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { ThroughField } from '../../../shared/way-there/through-field.tsx';
import styles from '../desktops.module.css';
import { type DesktopDraft, desktopOf, faultsOf, withProtocol } from './desktop-draft.ts';
import { FetchedCertificate } from './fetched-certificate.tsx';

interface FormOptions {
  first: DesktopDraft;
  save: (draft: DesktopDraft) => Promise<unknown>;
  onSaved: (name: string) => void;
}

export function useDesktopForm({ first, save, onSaved }: FormOptions) {
  const queries = useQueryClient();
  const formId = useId();
  const attempt = useAttempt();
  const [draft, setDraft] = useState(first);
  const [isSent, setSent] = useState(false);
  const faults = faultsOf(draft);
  const change = (part: Partial<DesktopDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    attempt.forget();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (Object.keys(faults).length > 0) return;
    if (!(await attempt.run(() => save(draft)))) return;
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    onSaved(draft.name.trim());
  };
  return { formId, attempt, draft, faults, isSent, change, submit };
}

interface DesktopFieldsProps {
  form: ReturnType<typeof useDesktopForm>;
  isNew: boolean;
  /** Logins whose passwords what was typed makes void. */
  voids?: readonly string[];
  look: (draft: DesktopDraft) => Promise<ShownCertificate>;
  /** Said already, and not asked again. */
  chosen?: DesktopDraft['protocol'];
  /** Before what was refused. */
  children?: ReactNode;
}

export function DesktopFields({ form, isNew, voids = [], look, chosen, children }: DesktopFieldsProps) {
  const t = useTranslate();
  const { formId, attempt, draft, faults, isSent, change, submit } = form;
  const errorOf = (field: 'name' | 'addr' | 'domain') => {
    const fault = isSent ? faults[field] : undefined;
    return fault === undefined ? undefined : asSentence(fault);
  };
  return (
    <form id={formId} className={styles.stack} onSubmit={(event) => void submit(event)} noValidate>
      {isNew && (
        <TextField
          label={t('desktops.name')}
          hint={t('add-desktop.name-hint')}
          mono
          value={draft.name}
          onValueChange={(name) => change({ name })}
          error={errorOf('name')}
        />
      )}
      <TextField
        label={t('desktops.address')}
        hint={t('add-desktop.addr-hint')}
        mono
        value={draft.addr}
        onValueChange={(addr) => change({ addr })}
        error={errorOf('addr')}
      />
      {chosen === undefined && (
        <Select
          label={t('add-desktop.protocol')}
          value={draft.protocol}
          options={[
            { value: 'rdp', label: t('add-desktop.protocol-rdp') },
            { value: 'vnc', label: t('add-desktop.protocol-vnc') },
          ]}
          onValueChange={(protocol) => change(withProtocol(protocol))}
        />
      )}
      {draft.protocol === 'rdp' && (
        <TextField
          label={t('add-desktop.domain')}
          hint={t('add-desktop.domain-hint')}
          optional
          mono
          value={draft.domain}
          onValueChange={(domain) => change({ domain })}
          error={errorOf('domain')}
        />
      )}
      {/* Few of VNC have one: there it is shown once it was taken. */}
      {(draft.protocol === 'rdp' || draft.known !== 'later') && (
        <CertificateFields
          draft={draft}
          isWrong={isSent && faults.certificate !== undefined}
          onChange={change}
          look={faults.addr === undefined ? () => look(draft) : undefined}
        />
      )}
      <Checkbox
        label={t('add-desktop.ask')}
        checked={draft.askPassword}
        onCheckedChange={(askPassword) => change({ askPassword })}
      />
      <LabelField
        hint={t('add-desktop.labels-hint')}
        pairs={[...draft.pairs]}
        wrong={faults.labels}
        onPairs={(pairs) => change({ pairs })}
      />
      <ThroughField
        through={draft.through}
        // One agent dials it: the last that was chosen.
        onThrough={(through) => change({ through: through.slice(-1) })}
      />
      {voids.length > 0 && (
        <Notice tone="warn" announce="none">
          {t('add-desktop.voids', { count: voids.length, logins: voids.join(', ') })}
        </Notice>
      )}
      {children}
      {attempt.failure && <Refused message={attempt.failure.message} />}
    </form>
  );
}

interface CertificateFieldsProps {
  draft: DesktopDraft;
  isWrong: boolean;
  onChange: (part: Partial<DesktopDraft>) => void;
  /** Asks what it shows; nothing while its address is none. */
  look: (() => Promise<ShownCertificate>) | undefined;
}

function CertificateFields({ draft, isWrong, onChange, look }: CertificateFieldsProps) {
  const { known, pin, ca, tlsName, addr, through } = draft;
  const t = useTranslate();
  return (
    <>
      <RadioGroup
        label={t('add-desktop.certificate')}
        value={known}
        onValueChange={(next) => onChange({ known: next })}
        options={[
          { value: 'pin', label: t('add-desktop.known-pin'), hint: t('add-desktop.known-pin-hint') },
          { value: 'ca', label: t('add-desktop.known-ca'), hint: t('add-desktop.known-ca-hint') },
          { value: 'later', label: t('add-desktop.known-later'), hint: t('add-desktop.known-later-hint') },
        ]}
      />
      {known === 'pin' && (
        <>
          {/* What another machine showed says nothing of this one. */}
          <FetchedCertificate
            key={`${addr} ${through.join()}`}
            fetch={look}
            onTaken={(next) => onChange({ pin: next })}
          />
          <TextField
            label={t('add-desktop.pin')}
            mono
            value={pin}
            onValueChange={(next) => onChange({ pin: next })}
            error={isWrong ? t('add-desktop.pin-wrong') : undefined}
          />
          <CopyField label={t('add-desktop.pin-command')} value={PIN_COMMAND} />
        </>
      )}
      {known === 'ca' && (
        <>
          <TextArea
            label={t('add-desktop.ca')}
            mono
            rows={6}
            value={ca}
            onValueChange={(next) => onChange({ ca: next })}
            error={isWrong ? t('add-desktop.ca-wrong') : undefined}
          />
          <TextField
            label={t('add-desktop.tls-name')}
            hint={t('add-desktop.tls-name-hint')}
            mono
            value={tlsName}
            onValueChange={(next) => onChange({ tlsName: next })}
          />
        </>
      )}
    </>
  );
}

export async function lookAt(api: Api, clusterId: string, draft: DesktopDraft): Promise<ShownCertificate> {
  const { addr, protocol = 'rdp', through = '' } = desktopOf(draft);
  return (await api(desktopRoutes.lookAt, { params: { clusterId }, body: { addr, protocol, through } })).shown;
}

/** Run there, by somebody who sits at it or reaches it by a way they trust. */
const PIN_COMMAND =
  "Get-ChildItem 'Cert:\\LocalMachine\\Remote Desktop' | ForEach-Object { $_.GetCertHashString('SHA256') }";
