"""Real failures: rows that the database refuses to change, by a trigger that ends with the test's transaction."""

from itertools import count

from django.db import connection

_numbers = count(1)


def refuse(model, pk=None, *, on="UPDATE", when=None):
    """Have the database refuse this statement for one row of the model, or for the rows that fit a condition in SQL.
    Returns a function that lets it accept them again.
    """
    table, number = model._meta.db_table, next(_numbers)
    row = "OLD" if on == "DELETE" else "NEW"
    condition = when or f"{row}.{model._meta.pk.column} = '{pk}'"
    name = f"refuses_{number}"
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION 'this row is refused' USING ERRCODE = 'data_exception'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER {name} BEFORE {on} ON {table} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {name}()"
        )

    def accept():
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER {name} ON {table}")

    return accept
