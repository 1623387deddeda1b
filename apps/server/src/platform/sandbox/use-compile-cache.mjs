// Preloaded by a child: loads the compiled code of its modules from the folder in the query of this module's URL.
import { enableCompileCache } from 'node:module';

enableCompileCache(new URL(import.meta.url).searchParams.get('folder') ?? undefined);
