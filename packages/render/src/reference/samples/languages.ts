/** A programming language of code samples. */
export interface SampleLanguage {
  readonly key: string;
  /** Other names in `docs.json`, lower case. */
  readonly aliases: readonly string[];
  /** What readers see. */
  readonly label: string;
  /** Language of the code block. */
  readonly lang: string;
}

const language = (
  key: string,
  label: string,
  lang: string,
  aliases: readonly string[] = [],
): SampleLanguage => ({
  key,
  aliases,
  label,
  lang,
});

/** In the order in which they are offered. */
export const sampleLanguages: readonly SampleLanguage[] = [
  language('bash', 'cURL', 'bash', ['curl', 'sh', 'shell']),
  language('python', 'Python', 'python', ['py', 'python3', 'requests']),
  language('javascript', 'JavaScript', 'javascript', ['js', 'fetch']),
  language('node', 'Node.js', 'javascript', ['nodejs', 'node.js']),
  language('php', 'PHP', 'php'),
  language('go', 'Go', 'go', ['golang']),
  language('java', 'Java', 'java'),
  language('ruby', 'Ruby', 'ruby', ['rb']),
  language('powershell', 'PowerShell', 'powershell', ['ps1', 'pwsh']),
  language('swift', 'Swift', 'swift'),
  language('csharp', 'C#', 'csharp', ['c#', 'cs']),
  language('dotnet', '.NET', 'csharp', ['.net', 'net']),
  language('typescript', 'TypeScript', 'typescript', ['ts']),
  language('c', 'C', 'c', ['libcurl']),
  language('c++', 'C++', 'cpp', ['cpp', 'cplusplus', 'cxx']),
  language('kotlin', 'Kotlin', 'kotlin', ['kt']),
  language('rust', 'Rust', 'rust', ['rs']),
  language('dart', 'Dart', 'dart', ['flutter']),
];

/** The language of a key or alias, in any case; null if it is unknown. */
export function findLanguage(name: string): SampleLanguage | null {
  const key = name.trim().toLowerCase();
  return sampleLanguages.find((one) => one.key === key || one.aliases.includes(key)) ?? null;
}
