/** What a leaf must know to join a root: its address, the token it gave, and the key it is known by. */
import {
  certificatePin,
  clusterJoinToken,
  keyFingerprint,
  rootAddress,
} from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type DocumentValue, textsAt } from '../../../shared/document-editor/read-document.ts';
import { readJoinCommand } from './map-entries.ts';
import styles from './trust.module.css';

const NAME = ['metadata', 'name'] as const;
const ADDRESS = ['spec', 'web_proxy_addr'] as const;
const TOKEN = ['spec', 'token'] as const;
const KEY = ['spec', 'root_key'] as const;
const PIN = ['spec', 'ca_pin'] as const;

interface RootFieldsProps {
  value: DocumentValue;
  onFields: (fields: readonly (readonly [path: readonly string[], value: string | undefined])[]) => void;
  /** Somebody tried to send it: what is missing is said from then on. */
  isChecked: boolean;
}

const textAt = (value: DocumentValue, path: readonly string[]) => textsAt(value, path)[0] ?? '';

/** Most roots have a certificate that everybody knows, and need none. */
const isPin = (text: string) => text === '' || certificatePin.safeParse(text).success;

/** Whether a join can be tried. */
export function isRootWritten(value: DocumentValue): boolean {
  return (
    textAt(value, NAME) !== '' &&
    rootAddress.safeParse(textAt(value, ADDRESS)).success &&
    clusterJoinToken.safeParse(textAt(value, TOKEN)).success &&
    keyFingerprint.safeParse(textAt(value, KEY)).success &&
    isPin(textAt(value, PIN))
  );
}

export function RootFields({ value, onFields, isChecked }: RootFieldsProps) {
  const t = useTranslate();
  const [command, setCommand] = useState('');
  const [name, address, token, key, pin] = [NAME, ADDRESS, TOKEN, KEY, PIN].map((path) => textAt(value, path)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const isAsked = (text: string) => isChecked || text !== '';
  const paste = (text: string) => {
    setCommand(text);
    const said = readJoinCommand(text);
    if (!said) return;
    const host = hostOf(said.address);
    onFields([
      ...(name === '' && host ? [[NAME, host] as const] : []),
      [ADDRESS, said.address],
      [TOKEN, said.token],
      [KEY, said.key],
      [PIN, said.pin || undefined],
    ]);
  };
  const plain = { mono: true, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;
  return (
    <div className={styles.fields}>
      <div className={styles.wideField}>
        <TextField
          {...plain}
          label={t('trust.command')}
          optional
          hint={t('trust.command-hint')}
          value={command}
          onValueChange={paste}
        />
      </div>
      <TextField
        {...plain}
        label={t('trust.address')}
        hint={t('trust.address-hint')}
        value={address}
        error={isAsked(address) && !rootAddress.safeParse(address).success ? t('trust.address-wrong') : undefined}
        onValueChange={(text) => onFields([[ADDRESS, text.trim()]])}
      />
      <TextField
        {...plain}
        label={t('trust.name')}
        hint={t('trust.name-hint', { name: name || 'hq' })}
        value={name}
        error={isChecked && name === '' ? t('trust.name-missing') : undefined}
        onValueChange={(text) => onFields([[NAME, text.trim()]])}
      />
      <TextField
        {...plain}
        label={t('trust.token')}
        hint={t('trust.token-hint')}
        value={token}
        error={isAsked(token) && !clusterJoinToken.safeParse(token).success ? t('trust.token-wrong') : undefined}
        onValueChange={(text) => onFields([[TOKEN, text.trim()]])}
      />
      <TextField
        {...plain}
        label={t('trust.key')}
        hint={t('trust.key-hint')}
        value={key}
        error={isAsked(key) && !keyFingerprint.safeParse(key).success ? t('trust.key-wrong') : undefined}
        onValueChange={(text) => onFields([[KEY, text.trim()]])}
      />
      <div className={styles.wideField}>
        <TextField
          {...plain}
          label={t('trust.pin')}
          optional
          hint={t('trust.pin-hint')}
          value={pin}
          error={isPin(pin) ? undefined : t('trust.pin-wrong')}
          onValueChange={(text) => onFields([[PIN, text.trim() || undefined]])}
        />
      </div>
    </div>
  );
}

/** A first word for its people, taken from where it lives. */
function hostOf(address: string): string | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return /^[a-z][a-z0-9-]*/i.exec(host)?.[0]?.toLowerCase();
}
