import type { Command } from 'commander';

export function addSchemaCommand(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of docs.json, with which editors complete and explain its keys')
    .addHelpText(
      'after',
      '\nWrite it beside docs.json and add "$schema": "./docs.schema.json" to docs.json.\n\nExample:\n  $ offprint schema > docs/docs.schema.json',
    )
    .action(async () => {
      const { docsJsonSchema } = await import('@offprint/render/docs-schema');
      process.stdout.write(`${JSON.stringify(docsJsonSchema(), null, 2)}\n`);
    });
}
