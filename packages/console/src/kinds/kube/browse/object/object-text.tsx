/** The text of an object in the editor, which is fetched when somebody looks at one; and what a cluster warned of when a text was tried. */
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { Suspense } from 'react';
import { asSentence } from '../../../../platform/i18n/formats.ts';
import { lazyPart } from '../../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { DocumentSchema } from '../../../../shared/document-editor/editor/document-schema.ts';
import type { YamlEditorProps } from '../../../../shared/document-editor/editor/yaml-editor.tsx';

const YamlEditor = lazyPart(() =>
  import('../../../../shared/document-editor/editor/yaml-editor.tsx').then((file) => file.YamlEditor),
);
/** The cluster knows what may stand where, and says so when it is tried. */
const NO_SCHEMA: DocumentSchema = { fieldsAt: () => [], valuesAt: () => [] };

export const NO_PROBLEMS: readonly [] = [];

export function ObjectText(props: Omit<YamlEditorProps, 'schema'>) {
  return (
    <Suspense fallback={<Spinner />}>
      <YamlEditor schema={NO_SCHEMA} {...props} />
    </Suspense>
  );
}

export function TriedWarnings({ warnings }: { warnings: readonly string[] }) {
  const t = useTranslate();
  return warnings.map((warning) => (
    <Notice key={warning} tone="warn" title={t('kube-browse.warns')}>
      {asSentence(warning)}
    </Notice>
  ));
}
