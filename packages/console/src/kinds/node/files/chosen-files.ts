/** Of the files that were chosen or dropped, those that can be uploaded: names that lead elsewhere are refused. */
import { whyNotRelative } from '@gatehouse/contract/kinds/node/files/paths';
import type { ChosenFile } from '../../../shared/files/dropped-files.ts';

export interface Chosen {
  files: ChosenFile[];
  /** Names that cannot be uploaded. */
  refused: string[];
}

export function sortChosen(all: readonly ChosenFile[]): Chosen {
  const isFine = ({ name }: ChosenFile) => whyNotRelative(name) === undefined;
  return { files: all.filter(isFine), refused: all.filter((each) => !isFine(each)).map(({ name }) => name) };
}
