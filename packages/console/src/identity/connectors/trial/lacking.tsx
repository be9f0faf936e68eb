/** What somebody's roles would use and they have none of, with the line that would give it to them. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { itemYaml } from '../../../shared/document-editor/write-yaml.ts';
import { type Entry, placeOf, wantedBy } from '../mapping.ts';
import styles from './trial.module.css';

interface LackingProps {
  kind: ConnectorKind;
  said: ConnectorTest;
  entries: readonly Entry[];
}

export function Lacking({ kind, said: { lacking, roles }, entries }: LackingProps) {
  const t = useTranslate();
  const giving = entries[placeOf(roles[0]?.entry ?? '') ?? 0];
  return lacking.map(({ trait, to, why }) => (
    <Notice key={trait} tone="warn" announce="none">
      <div className={styles.lacking}>
        <p>{asSentence(why)}</p>
        <p>{t('connectors.lacking-line')}</p>
        <CodeBlock label={t('connectors.lacking-code', { trait })} code={lineFor(kind, giving, to)} />
      </div>
    </Notice>
  ));
}

/** By what gave them the role: a name that people choose themselves over there is no line to offer. */
function lineFor(kind: ConnectorKind, entry: Entry | undefined, to: string): string {
  const { claim, value } = entry ? wantedBy(kind, entry) : { claim: 'CLAIM', value: 'VALUE' };
  return `traits:\n${itemYaml({ from: claim, value, to, as: 'NAME' }, 2)}`.trimEnd();
}
