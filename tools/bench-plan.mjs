/** What `npm run bench -- WORDS` means: names of benchmarks, each followed by what it is to be told. */

/**
 * @param {readonly string[]} words
 * @param {readonly {name: string, takesWords: boolean}[]} known
 * @returns {{runs: {name: string, words: string[]}[]} | {refused: string}}
 */
export function planBenchmarks(words, known) {
  const names = known.map(({ name }) => name).join(', ');
  /** @type {{name: string, words: string[]}[]} */
  const runs = [];
  for (const word of words) {
    if (known.some(({ name }) => name === word)) {
      runs.push({ name: word, words: [] });
      continue;
    }
    const before = runs.at(-1);
    if (!before) return { refused: `no benchmark is called ${word}; there are: ${names}` };
    // What nobody reads would look as if it had been heeded.
    if (!known.some(({ name, takesWords }) => name === before.name && takesWords))
      return { refused: `no benchmark is called ${word}, and ${before.name} takes no words; there are: ${names}` };
    before.words.push(word);
  }
  return { runs: words.length > 0 ? runs : known.map(({ name }) => ({ name, words: [] })) };
}
