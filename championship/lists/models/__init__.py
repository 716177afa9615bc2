"""Lists on their way into a club."""

from championship.lists.models.drafts import Columns as Columns
from championship.lists.models.drafts import ListDraft as ListDraft
from championship.lists.models.imports import Alias as Alias
from championship.lists.models.imports import ListImport as ListImport
